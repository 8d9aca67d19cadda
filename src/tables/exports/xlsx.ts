import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { JsonValue } from '../../platform/json.js';
import { asText } from '../grid/column-type/values.js';

/** What a worksheet can hold. */
export const XLSX_LIMITS = { rows: 1_048_576, columns: 16_384, text: 32_767 };

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Everything but the cells and the name of the sheet. */
const PARTS: Record<string, string> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};

/**
 * A workbook of one sheet (ECMA-376), compressed while it is written: nothing of it is kept. Texts are stored as texts in
 * their cells, so none of them can be taken for a formula; what is longer than a cell can hold is cut off.
 */
export class XlsxSheetWriter {
  private readonly ready: Uint8Array[] = [];
  private readonly zip: Zip;
  private readonly cells = new ZipDeflate('xl/worksheets/sheet1.xml', { level: 1 });
  private readonly letters: string[];
  private row = 0;

  constructor(
    private readonly title: string,
    private readonly columns: string[],
  ) {
    this.letters = columns.map((_, index) => columnLetters(index));
    this.zip = new Zip((error, chunk) => {
      if (error) throw error;
      this.ready.push(chunk);
    });
  }

  start(): Uint8Array {
    const sheet = `<sheets><sheet name="${escapeXml(sheetName(this.title))}" sheetId="1" r:id="rId1"/></sheets>`;
    const workbook = `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}">${sheet}</workbook>`;
    for (const [name, text] of Object.entries({ ...PARTS, 'xl/workbook.xml': workbook })) {
      const part = new ZipDeflate(name);
      this.zip.add(part);
      part.push(strToU8(HEAD + text), true);
    }
    this.zip.add(this.cells);
    this.cells.push(strToU8(`${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`));
    return this.write([this.columns]);
  }

  write(rows: JsonValue[][]): Uint8Array {
    if (rows.length > 0) this.cells.push(Buffer.from(rows.map((row) => this.toRow(row)).join('')));
    return this.take();
  }

  end(): Uint8Array {
    this.cells.push(strToU8('</sheetData></worksheet>'), true);
    this.zip.end();
    return this.take();
  }

  private take(): Uint8Array {
    return Buffer.concat(this.ready.splice(0));
  }

  private toRow(values: JsonValue[]): string {
    this.row++;
    const cells = values.map((value, index) =>
      value === null ? '' : toCell(`${this.letters[index]}${this.row}`, value),
    );
    return `<row r="${this.row}">${cells.join('')}</row>`;
  }
}

/** Spreadsheet programs keep so many digits of a number. A longer one is written as text: it may be an id. */
const DIGITS = 15;
const EXACT = 10 ** DIGITS;

function toCell(place: string, value: JsonValue): string {
  if (typeof value === 'number' && Math.abs(value) < EXACT) {
    return `<c r="${place}"><v>${Number(value.toPrecision(DIGITS))}</v></c>`;
  }
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  const text = asText(value);
  const shown = text.length > XLSX_LIMITS.text ? `${text.slice(0, XLSX_LIMITS.text - 1)}…`.toWellFormed() : text;
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(shown)}</t></is></c>`;
}

/** A for the first, AA for the 27th. */
export function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML has no way to write, and what would be mistaken for one of them, as `_xHHHH_`. */
// oxlint-disable-next-line no-control-regex
const UNWRITABLE = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9a-fA-F]{4}_)/g;

function escapeXml(text: string): string {
  return text
    .replace(UNWRITABLE, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}

/** Programs refuse longer names and some characters. */
function sheetName(title: string): string {
  const name = title
    .replace(/[[\]:*?/\\]/g, ' ')
    .trim()
    .slice(0, 31)
    .toWellFormed();
  return name.replace(/^'|'$/g, ' ').trim() || 'Sheet';
}
