import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  type Cell,
  cellsOf,
  editCell,
  newSheet,
  settled,
  TABLES,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import PromptedModule from '../support/prompted.extension.js';
import { deletePrompt, publishPrompt } from '../support/prompts.js';
import { importFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import WaitingModule from '../support/waiting.extension.js';

let app: TestApp;
let me: Client;
let service: WaitingService;
beforeAll(async () => {
  service = await WaitingService.start();
  app = await TestApp.start({ extensions: [WaitingModule, PromptedModule] });
  me = app.client;
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});
beforeEach(() => service.reset());

const follow = (sheet: TestSheet, how: string) => me.patch(sheet.path, { auto_recalculate: how });
const ask = (sheet: TestSheet, source: string) =>
  addColumn(me, sheet, { title: `Answer to ${source}`, type: 'ASK', config: { source, url: service.url } });
const shown = (cells: Cell[]) => cells.map(({ status, value }) => [status, value]);
const valuesAre = (sheet: TestSheet, columnId: string, values: unknown[]) =>
  until(async () => {
    const cells = await cellsOf(me, sheet, columnId);
    return JSON.stringify(shown(cells)) === JSON.stringify(values.map((value) => ['completed', value]));
  });

let count = 0;
const fresh = () => `text ${++count}`;

describe('a sheet that follows its inputs', () => {
  it('does not unless somebody asks for it', async () => {
    const sheet = await newSheet(me, ['a']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: 'abc' });
    await settled(me, sheet);
    expect(shown(await cellsOf(me, sheet, length.id))).toEqual([['stale', 1]]);
    expect(await me.get(sheet.path)).toMatchObject({ sheet: { auto_recalculate: 'off' } });
  });

  it('recalculates stale cells at once after an edit, through a chain, and reports them as stale first', async () => {
    const sheet = await newSheet(me, ['a', 'bb']);
    const length = await addCount(me, sheet, 'Length');
    const digits = await addCount(me, sheet, 'Digits', 'Length');
    await settled(me, sheet);
    await follow(sheet, 'deterministic');
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    expect(await editCell(me, sheet, cell!, { value: 'a long text' })).toMatchObject({ stale_count: 2 });
    await valuesAre(sheet, length.id, [11, 2]);
    await valuesAre(sheet, digits.id, [2, 1]);
    // The cells that nothing happened to were not computed again.
    const [, other] = await cellsOf(me, sheet, length.id);
    expect(other!.last_computed_version).toBeLessThan((await cellsOf(me, sheet, length.id))[0]!.last_computed_version!);
  });

  it('computes rows that are added and imported, many edits at once, and columns that are set up differently', async () => {
    const sheet = await newSheet(me, ['a']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    await follow(sheet, 'deterministic');
    await me.post(
      `${sheet.path}/rows`,
      { count: 2, values: [{ [sheet.columnId]: 'bb' }, { [sheet.columnId]: 'ccc' }] },
      201,
    );
    await valuesAre(sheet, length.id, [1, 2, 3]);
    await importFile(me, sheet.path, 'Column A\ndddd\n');
    await valuesAre(sheet, length.id, [1, 2, 3, 4]);
    const cells = [0, 3].map((row_index) => ({ row_index, column: 'Column A', value: 'one two' }));
    await me.patch(`${sheet.path}/cells`, { cells });
    await valuesAre(sheet, length.id, [7, 2, 3, 7]);
    await me.patch(`${sheet.path}/columns/${length.id}`, { config: { source: 'Column A', type: 'words' } });
    await valuesAre(sheet, length.id, [2, 1, 1, 2]);
  });

  it('computes what is stale already when it begins to follow, and none of it is a version of its own', async () => {
    const sheet = await newSheet(me, ['a']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: 'abc' });
    const before = await versionOf(me, sheet);
    expect(await follow(sheet, 'deterministic')).toMatchObject({
      version: before,
      sheet: { auto_recalculate: 'deterministic' },
    });
    await valuesAre(sheet, length.id, [3]);
    expect(await versionOf(me, sheet)).toBe(before + 1);
  });

  it('leaves alone what costs money, and what waits for it, unless it is to follow in everything', async () => {
    const [first, second, third] = [fresh(), fresh(), fresh()];
    const sheet = await newSheet(me, [first]);
    const answer = await ask(sheet, 'Column A');
    const length = await addCount(me, sheet, 'Length', 'Answer to Column A');
    const own = await addCount(me, sheet, 'Own');
    await settled(me, sheet);
    await follow(sheet, 'deterministic');
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: `${second} longer` });
    await valuesAre(sheet, own.id, [`${second} longer`.length]);
    await settled(me, sheet);
    expect(shown(await cellsOf(me, sheet, answer.id))).toEqual([['stale', first.toUpperCase()]]);
    expect(shown(await cellsOf(me, sheet, length.id))).toEqual([['stale', first.length]]);
    expect(service.total).toBe(1);

    await follow(sheet, 'all');
    await valuesAre(sheet, answer.id, [`${second} longer`.toUpperCase()]);
    await editCell(me, sheet, cell!, { value: third });
    await valuesAre(sheet, length.id, [third.length]);
    expect(service.total).toBe(3);
  });

  it('is set up with one of three words', async () => {
    const sheet = await newSheet(me, ['a']);
    await me.patch(sheet.path, { auto_recalculate: 'sometimes' }, 422);
    await me.patch(sheet.path, { auto_recalculate: 1 }, 422);
    await follow(sheet, 'all');
    expect(await me.patch(sheet.path, { auto_recalculate: null })).toMatchObject({
      sheet: { auto_recalculate: 'all' },
    });
  });
});

describe('a prompt that says something else', () => {
  const prompted = (sheet: TestSheet, prompt: string, label?: string) =>
    addColumn(me, sheet, { title: label ?? 'Latest', type: 'PROMPTED', config: { source: 'Column A', prompt, label } });

  async function published(): Promise<{ name: string; id: number; labelId: number }> {
    const name = `prompt ${++count}`;
    const { id } = await publishPrompt(me, name);
    await publishPrompt(me, name);
    const label = (await me.post(`/prompts/${id}/label`, { name: 'prod', prompt_version_number: 1 })) as {
      id: number;
    };
    return { name, id, labelId: label.id };
  }

  const cause = async (sheet: TestSheet, columnId: string) => {
    const [cell] = await cellsOf(me, sheet, columnId);
    const { cell: detail } = (await me.get(`${sheet.path}/cells/${cell!.id}`)) as {
      cell: Cell & { stale_cause: { type: string; message: string } | null };
    };
    return detail.stale_cause;
  };

  it('marks cells stale that used its label, and their dependents, and reports it', async () => {
    const { name, labelId } = await published();
    const sheet = await newSheet(me, ['a']);
    const column = await prompted(sheet, name, 'prod');
    const latest = await prompted(sheet, name);
    const length = await addCount(me, sheet, 'Length', 'prod');
    const own = await addCount(me, sheet, 'Own');
    await settled(me, sheet);
    await me.patch(`/prompt-labels/${labelId}`, { prompt_version_number: 2 });
    await until(async () => (await cellsOf(me, sheet, column.id))[0]!.status === 'stale');
    expect(await cause(sheet, column.id)).toMatchObject({
      type: 'prompt.update',
      message: `The label "prod" was moved to version 2 of the prompt "${name}".`,
    });
    const states = await Promise.all(
      [length, own, latest].map(async ({ id }) => (await cellsOf(me, sheet, id))[0]!.status),
    );
    expect(states).toEqual(['stale', 'completed', 'completed']);
  });

  it('marks cells stale whose prompt imports it, also in a version that is not the latest one', async () => {
    const [inner, middle, outer] = ['inner', 'middle', 'outer'].map((kind) => `${kind} ${++count}`) as [
      string,
      string,
      string,
    ];
    const { id } = await publishPrompt(me, inner, { text: 'one', labels: ['live'], isSnippet: true });
    await publishPrompt(me, middle, { text: `@@@${inner}@label:live@@@` });
    await publishPrompt(me, outer, { message: `@@@${middle}@@@`, labels: ['prod'] });
    await publishPrompt(me, outer, { message: `@@@${inner}@version_number:1@@@`, labels: ['next'] });
    await publishPrompt(me, outer, { message: 'No snippet.', labels: ['other'] });
    const sheet = await newSheet(me, ['a']);
    const columns: { id: string }[] = [];
    for (const label of ['prod', 'next', 'other']) columns.push(await prompted(sheet, outer, label));
    await settled(me, sheet);
    const states = () => Promise.all(columns.map(async (column) => (await cellsOf(me, sheet, column.id))[0]!.status));
    await publishPrompt(me, inner, { text: 'two', labels: ['live'] });
    await until(async () => (await states())[0] === 'stale');
    expect(await states()).toEqual(['stale', 'completed', 'completed']);
    await deletePrompt(me, id, 'SNIPPET');
    await until(async () => (await states())[1] === 'stale');
    expect(await states()).toEqual(['stale', 'stale', 'completed']);
  });

  it('makes the cells stale that use its latest version, and is followed where the sheet follows in everything', async () => {
    const { name } = await published();
    const [sheet, following] = [await newSheet(me, ['a']), await newSheet(me, ['a'])];
    const column = await prompted(sheet, name);
    const pinned = await prompted(sheet, name, 'prod');
    const followed = await prompted(following, name);
    await settled(me, sheet);
    await settled(me, following);
    await follow(following, 'all');
    const [before] = await cellsOf(me, following, followed.id);
    await publishPrompt(me, name);
    await until(async () => (await cellsOf(me, sheet, column.id))[0]!.status === 'stale');
    expect((await cause(sheet, column.id))!.message).toBe(`Version 3 of the prompt "${name}" was published.`);
    expect((await cellsOf(me, sheet, pinned.id))[0]!.status).toBe('completed');
    await until(async () => {
      const [cell] = await cellsOf(me, following, followed.id);
      return cell!.status === 'completed' && cell!.last_computed_version! > before!.last_computed_version!;
    });
  });

  it('is computed no more after the table was deleted', async () => {
    const { name } = await published();
    const [gone, kept] = [await newSheet(me, ['a']), await newSheet(me, ['a'])];
    for (const sheet of [gone, kept]) {
      await prompted(sheet, name);
      await settled(me, sheet);
      await follow(sheet, 'all');
    }
    await me.delete(`${TABLES}/${gone.tableId}`);
    const versions = () => app.sql('SELECT version FROM sheets WHERE id = $1', [gone.id]);
    const before = [await versions(), await versionOf(me, kept)];
    await publishPrompt(me, name);
    // One transaction makes the cells of all sheets stale that use the prompt.
    await until(async () => (await versionOf(me, kept)) !== before[1]);
    expect(await versions()).toEqual(before[0]);
  });
});
