import type { Client } from '../support/client.js';
import { addColumn, cellsOf, type Column, editCell, newSheet, settled, type TestSheet } from '../support/factories.js';

interface Changed {
  column: Column;
  affected_column_ids: string[];
}
type AColumn = { id: string };

/** Changes the columns and cells of a sheet over HTTP. */
export class SheetUser {
  constructor(private readonly client: Client) {}

  async change(sheet: TestSheet, { id }: AColumn, body: object): Promise<Changed> {
    return (await this.client.patch(`${sheet.path}/columns/${id}`, body)) as Changed;
  }

  text(sheet: TestSheet, title: string): Promise<Column> {
    return addColumn(this.client, sheet, { title, type: 'TEXT' });
  }

  shout(sheet: TestSheet, title: string, source: string): Promise<Column> {
    return addColumn(this.client, sheet, { title, type: 'SHOUT', config: { source } });
  }

  async write(sheet: TestSheet, { id }: AColumn, value: unknown, row = 0) {
    const cells = await cellsOf(this.client, sheet, id);
    return editCell(this.client, sheet, cells[row]!, { value });
  }

  async cellAt(sheet: TestSheet, { id }: AColumn, row = 0) {
    return (await cellsOf(this.client, sheet, id))[row]!;
  }

  async statusOf(sheet: TestSheet, column: AColumn): Promise<string> {
    return (await this.cellAt(sheet, column)).status;
  }

  /** Recalculates cells with these states; none may have one. */
  async recalculate(sheet: TestSheet, columns: AColumn[], statuses: string[] = ['STALE']): Promise<void> {
    const body = { operation: 'recalculate', column_ids: columns.map(({ id }) => id), statuses };
    await this.client.request('POST', `${sheet.path}/operations`, body);
    await settled(this.client, sheet);
  }

  /** Text "Column A" with a first row of `x`, and a second text column with `y` in it. */
  async twoTexts() {
    const sheet = await newSheet(this.client, ['x']);
    const b = await this.text(sheet, 'B');
    await this.write(sheet, b, 'y');
    return { sheet, a: { id: sheet.columnId }, b };
  }
}
