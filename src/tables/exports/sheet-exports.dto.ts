import { BooleanField, EnumField } from '../../platform/http/fields.js';
import { VersionField } from '../../grid/versions/find-version.js';
import { RowFilterField } from '../rows/row-filter-field.js';
import { EXPORT_FORMATS, type SheetExportFormat } from './sheet-writer.js';

export class SheetExportQuery {
  @EnumField(EXPORT_FORMATS, {
    query: true,
    optional: true,
    default: 'csv',
    description:
      '`csv`: every value as text. `jsonl`: an object per row, values as they are. `xlsx`: texts are never formulas, and are cut off after 32,767 characters.',
  })
  format?: SheetExportFormat;

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description: 'Whether the file includes the columns that hold the price and the latency of cells.',
  })
  include_system_columns?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description:
      'Whether the file has one more column, "Reused": a list of the columns whose value in the row is the result of an earlier cell with the same inputs.',
  })
  include_reused?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    default: true,
    description: 'CSV: put an apostrophe before texts that a spreadsheet would run as a formula (= + - @ tab).',
  })
  escape_formulas?: boolean;

  @RowFilterField()
  filter?: string;

  @VersionField({ description: 'Number or id of the version to export. Default: the current one.' })
  version?: string;
}
