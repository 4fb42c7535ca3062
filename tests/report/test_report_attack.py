"""Attempts to change a signed document unnoticed. Each must fail closed."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairnb.errors import FairnbError
from fairnb.report._extract import extract, read_evidence
from fairnb.report._sign import sign_detached, sign_pdf
from fairnb.report._verify import verify


@pytest.fixture
def check(kit: Any, tmp_path: Path) -> Callable[..., int]:
    """Exit code of verification, for someone who trusts the assessor."""

    def code(data: bytes, signature: bytes | None = None, **options: Any) -> int:
        path = tmp_path / "document"
        path.write_bytes(data)
        if signature is not None:
            (tmp_path / "document.p7s").write_bytes(signature)
        found = verify(path, **{"trust": kit.pem, "now": kit.now, **options})
        assert found.exit_code == 0 or found.problems
        return int(found.exit_code)

    return code


def flipped(data: bytes, bit: int) -> bytes:
    place, bit = divmod(bit, 8)
    return data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :]


def sampled(size: int, step: int) -> Iterator[int]:
    """Bits all over a file; the step is odd, so that every bit of a byte has its turn."""
    return iter(range(0, size * 8, step))


def gap(data: bytes, which: int = -1) -> tuple[int, int]:
    """Where a signature's hexadecimal digits begin and end."""
    numbers = re.findall(rb"/ByteRange\s*\[\s*0 (\d+) (\d+) \d+", data)[which]
    return int(numbers[0]) + 1, int(numbers[1]) - 1


def appended(data: bytes, change: Callable[[Any], None]) -> bytes:
    """An incremental update after the signed bytes, as an attacker's editor would write it."""
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter

    writer = IncrementalPdfFileWriter(io.BytesIO(data))
    change(writer)
    out = io.BytesIO()
    writer.write(out)
    assert out.getvalue().startswith(data)
    return out.getvalue()


def test_the_sound_files_pass(kit: Any, check: Callable[..., int]) -> None:
    assert check(kit.signed_pdf) == 0
    assert check(kit.html, kit.signature) == 0


# Bits


def test_no_bit_of_the_pdf_can_be_flipped(kit: Any, check: Callable[..., int]) -> None:
    passed = [
        bit for bit in sampled(len(kit.signed_pdf), 97 * 8 + 1) if check(flipped(kit.signed_pdf, bit)) != 1
    ]
    assert passed == []


def test_no_bit_of_the_html_or_its_signature_can_be_flipped(kit: Any, check: Callable[..., int]) -> None:
    for bit in sampled(len(kit.html), 197):
        assert check(flipped(kit.html, bit), kit.signature) == 1
    for bit in sampled(len(kit.signature), 61):
        assert check(kit.html, flipped(kit.signature, bit)) == 1
    # The signer's name beside the signature, which is compared without regard to case.
    place = kit.signature.rindex(b"Ada Assessor") * 8
    for bit in range(place + 5, place + 12 * 8, 8):
        assert check(kit.html, flipped(kit.signature, bit)) == 1


def test_no_bit_of_the_padding_can_be_flipped(kit: Any, check: Callable[..., int]) -> None:
    _, end = gap(kit.signed_pdf)
    assert kit.signed_pdf[end - 20 : end] == b"0" * 20
    for bit in range((end - 2) * 8, (end + 1) * 8):
        assert check(flipped(kit.signed_pdf, bit)) == 1


def test_a_digit_of_the_signature_in_the_other_case_is_a_change(kit: Any, check: Callable[..., int]) -> None:
    start, end = gap(kit.signed_pdf)
    digits = kit.signed_pdf[start:end]
    for change in (digits.upper(), digits.replace(b"a", b"A", 1)):
        outcome = check(kit.signed_pdf[:start] + change + kit.signed_pdf[end:])
        # All in capitals is how other signers write: the same bytes, nothing loose.
        assert outcome == (0 if change == digits.upper() else 1)


@pytest.mark.attack
def test_every_bit_of_the_detached_signature_counts(kit: Any, check: Callable[..., int]) -> None:
    passed = [b for b in range(len(kit.signature) * 8) if check(kit.html, flipped(kit.signature, b)) == 0]
    assert passed == []


@pytest.mark.attack
def test_every_bit_of_the_signature_in_the_pdf_counts(kit: Any, check: Callable[..., int]) -> None:
    start, end = gap(kit.signed_pdf)
    passed = [b for b in range(start * 8 - 16, end * 8 + 16, 13) if check(flipped(kit.signed_pdf, b)) == 0]
    assert passed == []


@pytest.mark.attack
def test_two_thousand_bits_anywhere(kit: Any, check: Callable[..., int]) -> None:
    two = sign_pdf(kit.signed_pdf, kit.identity, role="reviewer", when=kit.when)

    @settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.data())
    def hold(data: st.DataObject) -> None:
        which = data.draw(st.sampled_from(["pdf", "two", "html", "signature"]))
        target = {"pdf": kit.signed_pdf, "two": two, "html": kit.html, "signature": kit.signature}[which]
        changed = flipped(target, data.draw(st.integers(0, len(target) * 8 - 1)))
        if which == "html":
            assert check(changed, kit.signature) == 1
        elif which == "signature":
            assert check(kit.html, changed) in (1, 4)
        else:
            assert check(changed) == 1

    hold()


@pytest.mark.attack
def test_no_length_of_a_truncated_file_passes_or_crashes(kit: Any, check: Callable[..., int]) -> None:
    for size in range(0, len(kit.signed_pdf), 211):
        assert check(kit.signed_pdf[:size]) == 1
    for size in range(0, len(kit.signature), 7):
        assert check(kit.html, kit.signature[:size]) == 1


# What is added


@pytest.mark.parametrize("added", [b"\n", b" ", b"\x00", b"%%EOF\n", b"% a comment\n%%EOF"])
def test_nothing_can_be_appended(kit: Any, check: Callable[..., int], added: bytes) -> None:
    assert check(kit.signed_pdf + added) == 1
    assert check(kit.html + added, kit.signature) == 1
    assert check(kit.html, kit.signature + added) == 1


def test_nothing_can_be_put_before(kit: Any, check: Callable[..., int]) -> None:
    assert check(b"\n" + kit.signed_pdf) == 1
    assert check(b"%PDF-1.7\n" + kit.signed_pdf) == 1


def _cover(writer: Any) -> None:
    from pyhanko.pdf_utils import generic

    page_ref, _ = writer.find_page_for_modification(0)
    box = generic.ArrayObject(map(generic.NumberObject, (0, 0, 600, 850)))
    paint = generic.StreamObject(stream_data=b"1 1 1 rg 0 0 600 850 re f")
    paint["/Type"], paint["/Subtype"], paint["/BBox"] = (
        generic.NameObject("/XObject"), generic.NameObject("/Form"), box,
    )  # fmt: skip
    square = generic.DictionaryObject(
        {
            generic.NameObject("/Type"): generic.NameObject("/Annot"),
            generic.NameObject("/Subtype"): generic.NameObject("/Square"),
            generic.NameObject("/Rect"): box,
            generic.NameObject("/AP"): generic.DictionaryObject(
                {generic.NameObject("/N"): writer.add_object(paint)}
            ),
        }
    )
    writer.register_annotation(page_ref, writer.add_object(square))


def _rewrite_page(writer: Any) -> None:
    from pyhanko.pdf_utils import generic

    page_ref, _ = writer.find_page_for_modification(0)
    page = page_ref.get_object()
    page["/Contents"] = writer.add_object(generic.StreamObject(stream_data=b""))
    writer.update_container(page)


def _touch_catalogue(writer: Any) -> None:
    writer.update_root()


def _unsigned_field(writer: Any) -> None:
    from pyhanko.sign.fields import SigFieldSpec, append_signature_field

    append_signature_field(writer, SigFieldSpec("Another", box=(0, 0, 600, 850)))


def _drop_signature(writer: Any) -> None:
    from pyhanko.pdf_utils import generic

    writer.root["/AcroForm"]["/Fields"] = generic.ArrayObject()
    writer.update_container(writer.root["/AcroForm"])


@pytest.mark.parametrize(
    "change", [_cover, _rewrite_page, _touch_catalogue, _unsigned_field, _drop_signature]
)
def test_an_update_after_the_signature_is_a_change(
    kit: Any, check: Callable[..., int], change: Callable[[Any], None]
) -> None:
    assert check(appended(kit.signed_pdf, change)) == 1
    assert check(appended(kit.signed_pdf, change), integrity_only=True) == 1


@pytest.mark.parametrize("change", [_cover, _rewrite_page, _unsigned_field])
def test_a_second_signature_does_not_launder_a_change_after_the_first(
    kit: Any,
    check: Callable[..., int],
    tmp_path: Path,
    write_pem: Callable[..., Path],
    change: Callable[[Any], None],
) -> None:
    changed = sign_pdf(appended(kit.signed_pdf, change), kit.other, role="reviewer", when=kit.when)
    both = write_pem(tmp_path / "both.pem", kit.identity, kit.other)
    assert check(changed, trust=both) == 1


def test_a_second_signature_that_paints_over_the_page_is_a_change(
    kit: Any, check: Callable[..., int], tmp_path: Path, write_pem: Callable[..., Path]
) -> None:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import fields
    from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner

    from fairnb.report._sign import _signer

    metadata = PdfSignatureMetadata(field_name="Cover", subfilter=fields.SigSeedSubFilter.PADES)
    signer = PdfSigner(
        metadata, _signer(kit.other), new_field_spec=fields.SigFieldSpec("Cover", box=(0, 0, 600, 850))
    )
    out = signer.sign_pdf(IncrementalPdfFileWriter(io.BytesIO(kit.signed_pdf)))
    both = write_pem(tmp_path / "both.pem", kit.identity, kit.other)
    assert check(out.getvalue(), trust=both, now=dt.datetime.now(dt.UTC)) == 1


def test_a_stranger_may_add_a_signature_but_not_trust(kit: Any, check: Callable[..., int]) -> None:
    assert check(sign_pdf(kit.signed_pdf, kit.other, role="reviewer", when=kit.when)) == 4


# What is taken away or put in its place


def test_a_signature_cut_out_leaves_an_unsigned_file(kit: Any, check: Callable[..., int]) -> None:
    with pikepdf.open(io.BytesIO(kit.signed_pdf)) as pdf:
        del pdf.Root.AcroForm
        del pdf.pages[-1].obj.Annots
        out = io.BytesIO()
        pdf.save(out)
    assert check(out.getvalue()) == 1
    assert check(kit.html) == 1


def test_the_revision_before_the_signature_is_unsigned(kit: Any, check: Callable[..., int]) -> None:
    end = kit.signed_pdf.index(b"%%EOF") + len(b"%%EOF\n")
    assert check(kit.signed_pdf[:end]) == 1


def test_the_revision_before_the_second_signature_is_still_the_first_ones(
    kit: Any, check: Callable[..., int]
) -> None:
    two = sign_pdf(kit.signed_pdf, kit.other, when=kit.when)
    assert check(two[: len(kit.signed_pdf)]) == 0


def test_a_signature_of_another_document_does_not_fit(
    kit: Any, check: Callable[..., int], make_pdf: Callable[..., bytes], make_html: Callable[..., bytes]
) -> None:
    evidence = json.dumps(kit.evidence).encode()
    other = sign_pdf(make_pdf({"evidence.json": evidence}, "The rate is 21 %."), kit.identity, when=kit.when)
    here, there = gap(kit.signed_pdf), gap(other)
    digits = other[there[0] : there[1]]
    room = here[1] - here[0]
    swapped = kit.signed_pdf[: here[0]] + digits[:room].ljust(room, b"0") + kit.signed_pdf[here[1] :]
    assert len(swapped) == len(kit.signed_pdf)
    assert check(swapped) == 1
    html = make_html(kit.evidence, more="<p>Another</p>")
    assert check(kit.html, sign_detached(html, kit.identity, kit.when)) == 1


def test_a_strangers_signature_in_place_of_the_assessors_is_not_trusted(
    kit: Any, check: Callable[..., int]
) -> None:
    assert check(sign_pdf(kit.pdf, kit.other, when=kit.when)) == 4
    assert check(kit.html, sign_detached(kit.html, kit.other, kit.when)) == 4


def test_edited_evidence_with_new_digests_does_not_pass(
    kit: Any,
    check: Callable[..., int],
    make_evidence: Callable[..., dict[str, Any]],
    make_payload: Callable[..., dict[str, Any]],
    make_html: Callable[..., bytes],
) -> None:
    edited = make_evidence(make_payload("data_bias", "toxic", {"measure": "base_rate", "value": 0.01}))
    assert check(make_html(edited), kit.signature) == 1
    with pikepdf.open(io.BytesIO(kit.signed_pdf)) as pdf:
        pdf.attachments["evidence.json"] = json.dumps(edited).encode()
        out = io.BytesIO()
        pdf.save(out)
    assert check(out.getvalue()) == 1


def test_a_second_signature_dictionary_without_a_field_is_seen(kit: Any, check: Callable[..., int]) -> None:
    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        pdf.Root.Hidden = pdf.make_indirect(
            pikepdf.Dictionary(Type=pikepdf.Name.Sig, ByteRange=pikepdf.Array([0, 1, 2, 3]))
        )
        out = io.BytesIO()
        pdf.save(out)
    assert check(sign_pdf(out.getvalue(), kit.identity, when=kit.when)) == 1


def test_evidence_twice_in_one_document_is_refused(
    kit: Any, check: Callable[..., int], make_html: Callable[..., bytes]
) -> None:
    link = re.search(rb"<a id=.*?</a>", kit.html)
    assert link
    html = make_html(kit.evidence, more=link[0].decode())
    assert check(html, sign_detached(html, kit.identity, kit.when)) == 1


@pytest.mark.parametrize("statement", ["certificates", "crls", "unsigned_attrs", "digest_algorithms"])
def test_nothing_can_be_slipped_into_the_unsigned_parts_of_a_signature(
    kit: Any, check: Callable[..., int], statement: str
) -> None:
    from asn1crypto import cms, core

    info = cms.ContentInfo.load(kit.signature)
    signed = info["content"]
    signer = signed["signer_infos"][0]
    if statement == "certificates":
        foreign = cms.ContentInfo.load(sign_detached(b"", kit.other, kit.when))["content"]["certificates"][0]
        signed["certificates"] = [signed["certificates"][0], foreign]
    elif statement == "crls":
        signed["crls"] = cms.RevocationInfoChoices([])
    elif statement == "unsigned_attrs":
        attribute = {"type": "1.2.3.4", "values": [core.UTF8String("approved")]}
        signer["unsigned_attrs"] = cms.CMSAttributes([cms.CMSAttribute(attribute)])
        signed["signer_infos"] = [signer]
    else:
        signed["digest_algorithms"] = [{"algorithm": "sha256"}, {"algorithm": "md5"}]
    changed = cms.ContentInfo({"content_type": "signed_data", "content": signed.copy()}).dump(force=True)
    assert changed != kit.signature
    assert check(kit.html, changed) == 1


def test_a_second_signer_cannot_be_added_to_a_detached_signature(kit: Any, check: Callable[..., int]) -> None:
    from asn1crypto import cms

    signed = cms.ContentInfo.load(kit.signature)["content"]
    foreign = cms.ContentInfo.load(sign_detached(kit.html, kit.other, kit.when))["content"]
    signed["signer_infos"] = [*signed["signer_infos"], *foreign["signer_infos"]]
    signed["certificates"] = [*signed["certificates"], *foreign["certificates"]]
    changed = cms.ContentInfo({"content_type": "signed_data", "content": signed}).dump(force=True)
    assert check(kit.html, changed) == 1


def test_a_signature_that_brings_its_own_content_is_refused(kit: Any, check: Callable[..., int]) -> None:
    from asn1crypto import cms, core

    signed = cms.ContentInfo.load(kit.signature)["content"]
    signed["encap_content_info"] = {"content_type": "data", "content": core.OctetString(kit.html)}
    changed = cms.ContentInfo({"content_type": "signed_data", "content": signed}).dump(force=True)
    assert check(kit.html, changed) == 1
    assert check(b"<html>else</html>", changed) == 1


# Files inside


NAMES = [
    "../evidence.json", "/etc/passwd", "a/../../b", "C:\\x", "C:x", "..\\x", "a\x00b", "", ".", "..", "a/", "//x",
    "con", "NUL.txt", "a\nb", "\u202egpj.exe", "x" * 300, "trailing.", "trailing ", "a//b", "./a",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_file_name_that_leaves_the_folder_is_refused(
    kit: Any, tmp_path: Path, name: str, check: Callable[..., int]
) -> None:
    path = tmp_path / "a.pdf"
    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        names = pdf.Root.Names.EmbeddedFiles.Names
        file = pdf.make_indirect(pikepdf.Dictionary(names[1]))
        file.F = file.UF = pikepdf.String(name)
        names.append(pikepdf.String(name))
        names.append(file)
        pdf.save(path)
    with pytest.raises(FairnbError) as caught:
        extract(path, tmp_path / "out")
    assert caught.value.code in ("unsafe-name", "damaged-document")
    assert caught.value.exit_code == 1
    assert not (tmp_path / "out").exists()
    assert check(sign_pdf(path.read_bytes(), kit.identity, when=kit.when)) == 1


@pytest.mark.parametrize("where", ["UF", "F", "EF"])
def test_a_file_that_two_readers_would_see_differently_is_refused(
    kit: Any, tmp_path: Path, where: str
) -> None:
    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        pdf.attachments["notes.txt"] = b"notes"
        file = pdf.attachments["notes.txt"].obj
        if where == "EF":
            file.EF.UF = pdf.make_stream(b"other notes")
        else:
            file[f"/{where}"] = pikepdf.String("other.txt")
        pdf.save(tmp_path / "a.pdf")
    with pytest.raises(FairnbError) as caught:
        extract(tmp_path / "a.pdf", tmp_path / "out")
    assert caught.value.exit_code == 1


def test_names_that_differ_in_case_only_are_refused(kit: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        pdf.attachments["Evidence.JSON"] = b"{}"
        pdf.save(path)
    with pytest.raises(FairnbError) as caught:
        extract(path, tmp_path / "out")
    assert caught.value.code == "unsafe-name"


def test_a_link_in_the_folder_does_not_lead_out_of_it(kit: Any, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(kit.pdf)
    (tmp_path / "out").mkdir()
    (tmp_path / "target").mkdir()
    (tmp_path / "out" / "tallies").symlink_to(tmp_path / "target")
    with pytest.raises(FairnbError) as caught:
        extract(tmp_path / "a.pdf", tmp_path / "out", force=True)
    assert caught.value.code == "path-outside"
    assert list((tmp_path / "target").iterdir()) == []


def test_a_small_file_that_unpacks_to_a_large_one_is_not_unpacked(
    kit: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairnb.report import _inside

    with pikepdf.open(io.BytesIO(kit.pdf)) as pdf:
        pdf.attachments["zeros.bin"] = bytes(5_000_000)
        pdf.save(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").stat().st_size < 100_000
    monkeypatch.setattr(_inside, "LARGEST", 1_000_000)
    with pytest.raises(FairnbError) as caught:
        extract(tmp_path / "a.pdf", tmp_path / "out")
    assert caught.value.code == "too-large"


@pytest.mark.parametrize(
    "text",
    [
        '{"schema": "fairnb.evidence/1", "schema": "fairnb.evidence/1", "payloads": []}',
        '{"schema": "fairnb.evidence/1", "payloads": [NaN]}',
        '{"schema": "fairnb.evidence/1", "payloads": [1e999]}',
        '{"schema": "fairnb.evidence/1", "payloads": ["\\ud800"]}',
        '{"schema": "fairnb.evidence/1", "payloads": ' + "[" * 100_000,
        '{"schema": "fairnb.evidence/1", "payloads": [' + "9" * 10_000 + "]}",
        '{"schema": "fairnb.evidence/1", "payloads": {}}',
        '{"schema": "fairnb.evidence/one", "payloads": []}',
        '{"schema": ["fairnb.evidence/1"], "payloads": []}',
        "[]",
        "{",
    ],
)
def test_evidence_that_two_readers_could_read_differently_is_refused(
    kit: Any, tmp_path: Path, text: str, check: Callable[..., int]
) -> None:
    (tmp_path / "evidence.json").write_text(text)
    with pytest.raises(FairnbError):
        read_evidence(tmp_path / "evidence.json")
    data = text.encode()
    assert check(data, sign_detached(data, kit.identity, kit.when)) == 1
