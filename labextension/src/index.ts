/** The plugins of the extension; each can be disabled on its own. */

import exportAudit from './exportPlugin.js';
import live from './livePlugin.js';
import newAssessment from './newPlugin.js';
import panel from './panelPlugin.js';
import verifyAudit from './verifyPlugin.js';

export default [newAssessment, panel, live, exportAudit, verifyAudit];
