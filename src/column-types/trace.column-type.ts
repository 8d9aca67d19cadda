import { ColumnType } from '../grid/column-type/column-type.js';

class TraceConfig {}

@ColumnType({
  name: 'TRACE',
  title: 'Trace',
  description: 'The span tree of a trace. Filled when a trace is added to the sheet.',
  kind: 'imported',
  group: 'outside',
  output: 'json',
  config: TraceConfig,
  measured: { outlived: true },
})
export class TraceColumnType {}
