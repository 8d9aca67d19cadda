import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../platform/json.js';
import { asText } from '../grid/column-type/values.js';
import { type CsvDialect, fits, isBlankLine } from './csv-dialect.js';
import { CsvFailure, type CsvRecord, parseCsv, readCsv } from './csv-records.js';
import { FileSteps, type FilePlan } from './file-plan.js';
import { readFile, readFilePart } from './import-chunks.queries.js';
import { toFileImport } from './import-file.js';
import type { ImportOperation } from './import-operation.entity.js';
import { type ImportedValue, ImportFailure, type Importer, type ImportPlan, ImportsFrom } from './importer.js';
import { parseElements } from './json-elements.js';

/** Imports a row per record of a CSV or object of a JSON list. Every value is stored as text. */
@ImportsFrom('file')
export class FileImporter implements Importer {
  /** Reads all of a CSV, so that an invalid row fails the import before anything is written. */
  async plan(tx: EntityManager, operation: ImportOperation, signal: AbortSignal): Promise<ImportPlan> {
    const { titles, plan, dialect, padsShortRows } = toFileImport(operation.request);
    const written = { ...dialect!, padsShortRows };
    const { rowCount, parts } = plan ?? (await planCsv(readFile(tx, operation, signal), titles.length, written));
    const source = { parts } as JsonObject;
    return { titles, rowCount, source, steps: parts.map(({ row }) => row) };
  }

  async read(
    tx: EntityManager,
    operation: ImportOperation,
    plan: ImportPlan,
    rows: { from: number; to: number },
  ): Promise<ImportedValue[][]> {
    const { parts } = plan.source as Pick<FilePlan, 'parts'>;
    const part = parts.find(({ row }) => row === rows.from)!;
    const text = await readFilePart(tx, operation, part);
    const { format, dialect } = toFileImport(operation.request);
    if (format === 'json') {
      return parseElements(text).map((element) => plan.titles.map((title) => jsonText(element, title)));
    }
    const { length } = plan.titles;
    const records = parseCsv(text, dialect!.delimiter).filter((fields) => !isBlankLine(fields, length));
    return records.map((fields) => fields.slice(0, length).map((field) => (field === '' ? null : field)));
  }
}

function jsonText(element: JsonObject, title: string): string | null {
  if (!Object.hasOwn(element, title)) return null;
  const value = element[title];
  return value === null ? null : asText(value);
}

/** Throws an ImportFailure that names the first invalid row. */
export async function planCsv(
  text: AsyncIterable<Buffer>,
  columns: number,
  { delimiter, hasSeparatorLine, padsShortRows }: CsvDialect & { padsShortRows?: boolean },
): Promise<FilePlan> {
  const steps = new FileSteps();
  let before = hasSeparatorLine ? 2 : 1;
  try {
    for await (const records of readCsv(text, delimiter)) {
      for (const record of records) {
        if (before > 0) before--;
        else if (isBlankLine(record.fields, columns)) continue;
        else if (fits(record.fields, columns, padsShortRows)) steps.add(record.start, record.end);
        else throw new ImportFailure(misfit(steps.rowCount + 1, record, columns));
      }
    }
  } catch (error) {
    throw error instanceof CsvFailure ? new ImportFailure(error.message) : error;
  }
  return steps.plan(columns);
}

function misfit(row: number, { fields, line }: CsvRecord, columns: number): string {
  const has = fields.length === 1 ? '1 field' : `${fields.length} fields`;
  const expected = columns === 1 ? 'there is 1 column' : `there are ${columns} columns`;
  return `Row ${row} (line ${line}) has ${has}, but ${expected}.`;
}
