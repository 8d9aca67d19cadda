import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { JsonValue } from '../../platform/json.js';
import { asText } from '../../grid/column-type/values.js';

/** Limits of a worksheet. */
export const XLSX_LIMITS = { rows: 1_048_576, columns: 16_384, text: 32_767 };

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

interface Page {
  /** Name of its file. */
  file: string;
  name: string;
}

const CELLS = 'worksheets/sheet1.xml';
const SUMMARY = 'worksheets/sheet2.xml';

/** All parts except the pages. The pages are shown in this order. */
function partsOf(pages: Page[]): Record<string, string> {
  const types = pages.map(({ file }) => `<Override PartName="/xl/${file}" ContentType="${TYPES}.worksheet+xml"/>`);
  const relations = pages.map(
    ({ file }, index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/worksheet" Target="${file}"/>`,
  );
  const sheets = pages.map(
    ({ name }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/>${types.join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets.join('')}</sheets></workbook>`,
  };
}

const OPENING = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`;
const CLOSING = '</sheetData></worksheet>';

export interface XlsxSheet {
  title: string;
  columns: string[];
  /** Rows of a first page with a summary of the columns; null for no such page. */
  summary: JsonValue[][] | null;
}

/**
 * A workbook of a sheet (ECMA-376), compressed in a stream without keeping the file. Texts are stored as texts in their
 * cells, so none of them can be taken for a formula. A text that is too long for a cell is cut off.
 */
export class XlsxSheetWriter {
  private readonly ready: Uint8Array[] = [];
  private readonly zip: Zip;
  private readonly cells = new ZipDeflate(`xl/${CELLS}`, { level: 1 });
  private readonly rows = new RowWriter();

  constructor(private readonly sheet: XlsxSheet) {
    this.zip = new Zip((error, chunk) => {
      if (error) throw error;
      this.ready.push(chunk);
    });
  }

  start(): Uint8Array {
    const { title, columns, summary } = this.sheet;
    const page = { file: CELLS, name: sheetName(title) };
    const pages = summary ? [{ file: SUMMARY, name: summaryName(page.name) }, page] : [page];
    for (const [name, text] of Object.entries(partsOf(pages))) this.add(name, HEAD + text);
    if (summary) this.add(`xl/${SUMMARY}`, OPENING + new RowWriter().write(summary) + CLOSING);
    this.zip.add(this.cells);
    this.cells.push(strToU8(OPENING));
    return this.write([columns]);
  }

  write(rows: JsonValue[][]): Uint8Array {
    if (rows.length > 0) this.cells.push(Buffer.from(this.rows.write(rows)));
    return this.take();
  }

  end(): Uint8Array {
    this.cells.push(strToU8(CLOSING), true);
    this.zip.end();
    return this.take();
  }

  private add(name: string, text: string): void {
    const part = new ZipDeflate(name);
    this.zip.add(part);
    part.push(strToU8(text), true);
  }

  private take(): Uint8Array {
    return Buffer.concat(this.ready.splice(0));
  }
}

/** Writes the rows of a page. */
class RowWriter {
  private readonly letters: string[] = [];
  private row = 0;

  write(rows: JsonValue[][]): string {
    return rows.map((row) => this.toRow(row)).join('');
  }

  private toRow(values: JsonValue[]): string {
    this.row++;
    const cells = values.map((value, index) =>
      value === null ? '' : toCell(`${(this.letters[index] ??= columnLetters(index))}${this.row}`, value),
    );
    return `<row r="${this.row}">${cells.join('')}</row>`;
  }
}

/** Number of digits that spreadsheet programs keep. A longer number is written as text: it may be an id. */
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

/** Shortens the name and replaces characters, because programs reject others. */
function sheetName(title: string): string {
  const name = title
    .replace(/[[\]:*?/\\]/g, ' ')
    .trim()
    .slice(0, 31)
    .toWellFormed();
  return name.replace(/^'|'$/g, ' ').trim() || 'Sheet';
}

/** Programs reject pages with the same name in any letter case. */
const summaryName = (taken: string): string => (taken.toLowerCase() === 'summary' ? 'Summary of columns' : 'Summary');
