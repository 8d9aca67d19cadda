import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { mayBeCut } from './cell-line';
import { type Drafts, isNewRow, type Target } from './drafts';
import type { Spot } from './selection';
import { noticeOf, useSheet } from './sheet-data';
import type { EditedCell, Edits } from './use-edits';

export interface Opened {
  spot: Spot;
  cell: EditedCell;
  text: string;
  /** While the whole text is being read. What is typed meanwhile goes behind it. */
  before?: () => Promise<string>;
}

const QUIETLY = { preventScroll: true };

/** State of the cell editor. Every change is a draft, so that it outlives the editor. */
export function useEditor(edits: Edits, head: Spot) {
  const { columns, store, drafts, notify } = useSheet();
  const field = useRef<HTMLTextAreaElement>(null);
  const { opened, current, open, keep } = useOpened(drafts);
  const focus = () => field.current?.focus(QUIETLY);
  const type = (text: string) => {
    if (current()) return keep({ ...current()!, text });
    if (edits.refuses(head.column)) return;
    notify(null);
    keep({ spot: head, cell: edits.cellAt(head), text });
  };
  const read = async ({ cell, before }: Opened) => {
    const isOpen = () => current()?.cell === cell;
    try {
      const whole = await before!();
      if (!isOpen()) return;
      const next = { ...current()!, text: whole + current()!.text, before: undefined };
      // Rendered at once, because the next key is added to the text in the field.
      flushSync(() => (current()!.text === '' ? open(next) : keep(next)));
    } catch (error) {
      notify(noticeOf(error));
      if (isOpen() && current()!.text === '') open(null);
    }
  };
  const show = (spot: Spot, { text, before, ...cell }: Target) => {
    const opening = { spot, cell, text: text ?? '', before };
    open(opening);
    focus();
    if (before) void read(opening);
  };
  const start = (spot: Spot, given?: EditedCell) => {
    if (edits.refuses(spot.column)) return;
    notify(null);
    const cell = given ?? edits.cellAt(spot);
    const typed = drafts.typedIn(cell);
    const stored = store.cell(spot.row, spot.column);
    if (typed) return show(spot, typed);
    if (stored && !mayBeCut(stored.text)) return show(spot, { ...cell, text: stored.text });
    if (isNewRow(cell)) return show(spot, { ...cell, text: null });
    show(spot, { ...cell, text: null, before: () => edits.fullText(cell) });
  };
  const restore = () => {
    const escaped = drafts.takeEscaped();
    const column = columns.findIndex(({ id }) => id === escaped?.column);
    if (!escaped) return false;
    if (column < 0) drafts.leave(escaped);
    else show({ row: escaped.row, column }, escaped);
    return true;
  };
  const leave = (how: 'commit' | 'escape') => {
    const known = current();
    if (known) drafts[how](known.cell);
    open(null);
  };
  return { opened, field, focus, type, start, restore, leave };
}

/** The state of the editor, also for handlers that were made before it changed. */
function useOpened(drafts: Drafts) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const ref = useRef(opened);
  const open = (next: Opened | null) => {
    ref.current = next;
    setOpened(next);
  };
  const keep = (next: Opened) => {
    open(next);
    const { cell, text, before } = next;
    drafts.type({ ...cell, text: text === '' ? null : text, before });
  };
  useEffect(() => () => void (ref.current && drafts.leave(ref.current.cell)), [drafts]);
  return { opened, current: () => ref.current, open, keep };
}
