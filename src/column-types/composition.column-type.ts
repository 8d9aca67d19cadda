import { UuidField } from '../platform/http/fields.js';
import { ColumnType, type MirroringColumnType, type SourceAddress } from '../grid/column-type/column-type.js';

class CompositionConfig {
  @UuidField({ description: 'Id of the table that the sheet below belongs to.' })
  source_table_id: string;

  @UuidField({ description: 'Id of the sheet that has the column; another sheet than this one.' })
  source_sheet_id: string;

  @UuidField({ description: 'Id of the column whose cells are shown.' })
  source_column_id: string;
}

@ColumnType({
  name: 'COMPOSITION',
  title: 'Column of another sheet',
  description:
    'Shows the cells of a column of another sheet, row by row. Rows that this sheet lacks are added to it. It follows ' +
    'its source within moments and is never computed.',
  kind: 'reference',
  group: 'outside',
  output: 'json',
  config: CompositionConfig,
  olderKeys: { table_id: 'source_table_id', sheet_id: 'source_sheet_id', column_id: 'source_column_id' },
})
export class CompositionColumnType implements MirroringColumnType<CompositionConfig> {
  mirrors(config: CompositionConfig): SourceAddress {
    return { tableId: config.source_table_id, sheetId: config.source_sheet_id, columnId: config.source_column_id };
  }
}
