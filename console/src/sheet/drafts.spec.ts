import { describe, expect, it } from 'vitest';
import { Drafts, findOnce, type Target } from './drafts';

interface Sent {
  id: number;
  targets: Target[];
  store: (version: number) => void;
  refuse: () => void;
}

/** Creates drafts whose saves end on demand. */
function held() {
  const drafts = new Drafts();
  const sent: Sent[] = [];
  drafts.send = ({ id, targets }, onSaved) =>
    new Promise((resolve, reject) => {
      const store = (version: number) => {
        onSaved(targets, version);
        resolve();
      };
      sent.push({ id, targets, store, refuse: () => reject(new Error('Not now.')) });
    });
  const texts = () => sent.map(({ targets }) => targets.map(({ text }) => text).join());
  return { drafts, sent, texts };
}

const at = (row: number, text: string | null = null): Target => ({ row, index: row, column: 'a', text });
const pass = () => new Promise<void>((resolve) => setTimeout(resolve));

describe('drafts', () => {
  it('save four cells at once and the others afterwards', async () => {
    const { drafts, sent, texts } = held();
    for (let row = 0; row < 6; row++) drafts.save([at(row, `t${row}`)]);
    expect(texts()).toEqual(['t0', 't1', 't2', 't3']);
    expect(drafts.isUnsaved).toBe(true);
    sent[2]!.store(1);
    await pass();
    expect(texts()).toEqual(['t0', 't1', 't2', 't3', 't4']);
    for (const each of [0, 1, 3, 4]) sent[each]!.store(2);
    await pass();
    sent[5]!.store(3);
    await drafts.settled();
    expect(drafts.isUnsaved).toBe(false);
  });

  it('save the texts of a cell in order, and leave out those that were replaced while they waited', async () => {
    const { drafts, sent, texts } = held();
    for (const text of ['a', 'b', 'c']) drafts.save([at(0, text)]);
    drafts.save([at(1, 'other')]);
    expect(texts()).toEqual(['a', 'other']);
    expect(drafts.of(at(0))?.text).toBe('c');
    sent[0]!.refuse();
    await pass();
    expect(texts()).toEqual(['a', 'other', 'c']);
    expect(drafts.unsaved).toEqual([]);
  });

  it('keep a refused text with the reason, and send it again as it was', async () => {
    const { drafts, sent, texts } = held();
    drafts.save([at(0, 'p'), at(1, 'q')]);
    sent[0]!.refuse();
    await pass();
    expect(drafts.unsaved).toMatchObject([
      { text: 'p', error: { message: 'Not now.' } },
      { text: 'q', error: { message: 'Not now.' } },
    ]);
    drafts.retry();
    expect(texts()).toEqual(['p,q', 'p,q']);
    expect(sent[1]!.id).toBe(sent[0]!.id);
    sent[1]!.store(4);
    await pass();
    expect([drafts.unsaved, drafts.of(at(0))?.version]).toEqual([[], 4]);
  });

  it('add rows one request after the other', async () => {
    const { drafts, sent, texts } = held();
    const row = (at: number, text: string): Target => ({ row: at, column: 'a', text });
    drafts.save([row(5, 'fifth')]);
    drafts.save([row(6, 'sixth')]);
    drafts.save([row(7, 'seventh')]);
    expect(texts()).toEqual(['fifth']);
    sent[0]!.store(1);
    await pass();
    expect(texts()).toEqual(['fifth', 'sixth']);
  });

  it('save what is being typed only when it is committed, and keep it when its editor is gone', () => {
    const { drafts, texts } = held();
    drafts.type(at(0, 'half'));
    expect([texts(), drafts.of(at(0)), drafts.isUnsaved]).toEqual([[], undefined, true]);
    drafts.leave(at(0));
    expect(drafts.unsaved).toMatchObject([{ text: 'half', error: null }]);
    drafts.type(at(1, 'whole'));
    drafts.commit(at(1));
    drafts.commit(at(2));
    expect(texts()).toEqual(['whole']);
    drafts.commit(at(0));
    expect(texts()).toEqual(['whole', 'half']);
  });

  it('keep the text that is being typed when an older text of the cell is saved again', async () => {
    const { drafts, sent, texts } = held();
    drafts.save([at(0, 'old')]);
    sent[0]!.refuse();
    await pass();
    drafts.type(at(0, 'new'));
    drafts.retry();
    expect(drafts.typedIn(at(0))?.text).toBe('new');
    drafts.commit(at(0));
    sent[1]!.store(1);
    await pass();
    expect(texts()).toEqual(['old', 'old', 'new']);
  });

  it('restore the text that Escape discarded until something else is saved', () => {
    const { drafts } = held();
    drafts.type(at(0, 'typed'));
    drafts.escape(at(0));
    drafts.escape(at(0));
    expect(drafts.isUnsaved).toBe(false);
    expect(drafts.takeEscaped()?.text).toBe('typed');
    expect(drafts.typedIn(at(0))?.text).toBe('typed');
    drafts.escape(at(0));
    drafts.save([at(1, 'other')]);
    expect(drafts.takeEscaped()).toBeNull();
  });

  it('find a cell that was written before its row was known', () => {
    const { drafts } = held();
    drafts.save([{ row: 3, column: 'a', text: 'early', find: () => Promise.resolve(30) }]);
    expect(drafts.of({ row: 3, index: 30, column: 'a' })?.text).toBe('early');
    expect(drafts.of({ row: 3, index: 30, column: 'b' })).toBeUndefined();
  });
});

it('finds a row once, also when its text is sent again after rows have moved', async () => {
  const found = [Promise.reject(new Error('Not now.')), Promise.resolve(4), Promise.resolve(9)];
  found[0]!.catch(() => undefined);
  const find = findOnce(() => found.shift()!);
  await expect(find()).rejects.toThrow('Not now.');
  expect([await find(), await find()]).toEqual([4, 4]);
});
