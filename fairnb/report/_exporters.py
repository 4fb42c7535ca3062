"""Exporters for nbconvert, so that `jupyter nbconvert --to audit_pdf` writes the same document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter

from fairnb.report._export import Material, document_html, document_pdf, material_of


class AuditHTMLExporter(Exporter):
    """Audit document as one HTML page without scripts and without outside addresses.

    Beside its case (`assessment.toml`) the notebook must be a faithful record of it; elsewhere the
    document is made from the notebook's own results and says so.
    """

    export_from_notebook = "Audit document (HTML)"
    file_extension = ".html"
    output_mimetype = "text/html"

    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **kw: Any) -> tuple[Any, Any]:
        """Document of a notebook.

        Returns
        -------
        output : str
        resources : dict

        Raises
        ------
        FairnbError
            As `export` does.
        """
        made, resources = super().from_notebook_node(nb, resources, **kw)
        return self._document(_material(made, resources)), resources

    def _document(self, material: Material) -> Any:
        return document_html(material)


class AuditPDFExporter(AuditHTMLExporter):
    """Audit document as PDF, with evidence and notebook attached."""

    export_from_notebook = "Audit document (PDF)"
    file_extension = ".pdf"
    output_mimetype = "application/pdf"

    def _file_extension_default(self) -> str:
        return ".pdf"

    def _document(self, material: Material) -> Any:
        return document_pdf(material)


def _material(notebook: Any, resources: Any) -> Material:
    told = resources.get("metadata") or {}
    # An empty path is the working folder; none at all is a notebook that came from no file.
    folder = Path(told["path"]) if "path" in told else None
    return material_of(_plain(notebook), folder)


def _plain(value: Any) -> Any:
    """Notebook nodes as plain dictionaries and lists."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
