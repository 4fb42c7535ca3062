// What a section's HTML looks like is declared once, beside the template that makes it.
import '../../report_templates/audit/fragment.css';
import './base.css';
