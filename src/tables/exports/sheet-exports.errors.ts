import { defineErrors } from '../../platform/errors/problem.js';

export const SheetExportErrors = defineErrors({
  sheet_export_too_large: {
    status: 400,
    message: (rows: number, columns: number) =>
      `An XLSX file holds at most ${rows} rows, the titles included, and ${columns} columns. Use csv or jsonl.`,
  },
});
