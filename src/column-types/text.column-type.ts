import { ColumnType } from '../grid/column-type/column-type.js';

class TextConfig {}

@ColumnType({
  name: 'TEXT',
  title: 'Text',
  description: 'Cells that people and imports fill in.',
  kind: 'input',
  group: 'people',
  output: 'text',
  config: TextConfig,
})
export class TextColumnType {}
