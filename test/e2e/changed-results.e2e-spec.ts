import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, type Cell, cellsOf, type Column, newSheet, settled, type TestSheet } from '../support/factories.js';
import { TestColumnTypesModule, WeatherColumnType } from '../support/plugins.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

const states = async (sheet: TestSheet, id: string) =>
  (await cellsOf(me, sheet, id)).map(({ status, value }) => [status, value]);
const recalculate = async (sheet: TestSheet, body: object = {}) => {
  await me.request('POST', `${sheet.path}/operations`, { operation: 'recalculate', ...body });
  await settled(me, sheet);
};

describe('a result that comes out differently the next time', () => {
  async function forecast(): Promise<{ sheet: TestSheet; weather: Cell; follower: Column }> {
    WeatherColumnType.today = 'sunny';
    const sheet = await newSheet(me, ['Rome']);
    const column = await addColumn(me, sheet, { title: 'Weather', type: 'WEATHER', config: { city: 'Column A' } });
    const follower = await addColumn(me, sheet, { title: 'Shout', type: 'SHOUT', config: { source: 'Weather' } });
    await settled(me, sheet);
    return { sheet, weather: (await cellsOf(me, sheet, column.id))[0]!, follower };
  }
  const again = async (sheet: TestSheet, cell: Cell) => {
    await me.post(`${sheet.path}/cells/${cell.id}/recalculations`, {}, 202);
    await settled(me, sheet);
  };

  it('makes dependent cells stale', async () => {
    const { sheet, weather, follower } = await forecast();
    WeatherColumnType.today = 'rainy';
    await again(sheet, weather);
    expect((await cellsOf(me, sheet, weather.column_id))[0]!.value).toEqual({ Rome: 'rainy', checked: true });
    expect(await states(sheet, follower.id)).toEqual([['stale', '{"ROME":"SUNNY","CHECKED":TRUE}!']]);
  });

  it('changes nothing else when it is equal, although it was asked for again', async () => {
    const { sheet, weather, follower } = await forecast();
    await again(sheet, weather);
    const [cell] = await cellsOf(me, sheet, weather.column_id);
    expect(cell!.execution_id).not.toBe(weather.execution_id);
    expect((await states(sheet, follower.id)).map(([status]) => status)).toEqual(['completed']);
  });

  it('keeps the last good value when it fails, and fails nothing by itself', async () => {
    const { sheet, weather, follower } = await forecast();
    WeatherColumnType.today = 'unknown';
    await again(sheet, weather);
    expect((await cellsOf(me, sheet, weather.column_id))[0]).toMatchObject({
      status: 'error',
      value: { Rome: 'sunny' },
      error_message: 'Nobody knows.',
    });
    expect((await states(sheet, follower.id)).map(([status]) => status)).toEqual(['stale']);
    await recalculate(sheet);
    expect((await states(sheet, follower.id)).map(([status]) => status)).toEqual(['error']);
    // Recalculating a dependent column does not retry failed cells of its source.
    WeatherColumnType.today = 'sunny';
    await recalculate(sheet, { column_ids: [follower.id], statuses: ['FAILED'] });
    expect((await states(sheet, weather.column_id)).map(([status]) => status)).toEqual(['error']);
  });
});
