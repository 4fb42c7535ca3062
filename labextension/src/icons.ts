import { LabIcon } from '@jupyterlab/ui-components';

/** A clipboard with scales: an assessment. Drawn for this extension. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g class="jp-icon3" fill="#616161">
    <path d="M19 3h-4.2a3 3 0 0 0-5.6 0H5a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2V5a2 2 0 0 0-2-2zm0 16H5V5h2v2h10V5h2z"/>
    <path d="M12.7 9.2h-1.4v.9H8.1v1.3h.5L7 14.6a2.1 2.1 0 0 0 4.2 0l-1.6-3.2h1.7v5H9.4v1.3h5.2v-1.3h-1.9v-5h1.7l-1.6 3.2a2.1 2.1 0 0 0 4.2 0l-1.6-3.2h.5v-1.3h-3.2zM9.1 12.5l.9 1.9H8.2zm5.8 0 .9 1.9H14z"/>
  </g>
</svg>`;

export const assessmentIcon = new LabIcon({ name: 'fairnb:assessment', svgstr: SVG });

/** The same for a launcher card beside the kernels', whose pictures have colours of their own. */
export const cardPicture = `data:image/svg+xml,${encodeURIComponent(SVG.replace('#616161', '#1976d2'))}`;
