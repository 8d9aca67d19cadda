import { type KeyboardEvent, type ReactNode, type RefObject, useState } from 'react';
import type { ColumnBody } from '../api/schema.gen';
import { Menu, type MenuItem } from '../ui/menu';
import { addCondition } from './add-condition';
import type { Test } from './row-look';
import { type SheetTools, useSheet } from './sheet-data';

interface Acting {
  tools: SheetTools;
  onColumn: (id: string) => void;
  onFilter: (id: string) => void;
  /** The column was moved to this position. */
  onPlace: (at: number) => void;
}

interface ColumnAction extends MenuItem {
  /** Shortcut together with Alt and Shift, as `code` of a keyboard event. */
  code?: string;
}

/** Actions on a column, for its menu and its shortcuts. */
function columnActions(at: number, { tools, onColumn, onFilter, onPlace }: Acting): ColumnAction[] {
  const { columns, canEdit, arranging } = tools;
  const column = columns[at];
  if (!column) return [];
  const move = (step: -1 | 1) => {
    const position = canEdit ? arranging.positionBeside(at, step) : null;
    const act = async () => {
      if (position !== null && (await arranging.move(column.id, position))) onPlace(at + step);
    };
    return { isDisabled: position === null, act: () => void act() };
  };
  return [
    { label: 'Open the column', act: () => onColumn(column.id) },
    ...lookActions(column, tools, () => onFilter(column.id)),
    { label: 'Move left', keys: 'Alt Shift ←', code: 'ArrowLeft', ...move(-1) },
    { label: 'Move right', keys: 'Alt Shift →', code: 'ArrowRight', ...move(1) },
    {
      label: at < arranging.pinned ? 'Unpin' : 'Pin to the left',
      keys: 'Alt Shift P',
      code: 'KeyP',
      act: () => onPlace(arranging.togglePinned(column.id)),
    },
    {
      label: 'Hide',
      keys: 'Alt Shift H',
      code: 'KeyH',
      isDisabled: columns.length === 1,
      act: () => arranging.toggleHidden(column.id),
    },
  ];
}

/** Filters and sorts by a column. Earlier versions have neither. */
function lookActions(column: ColumnBody, { state, set, types }: SheetTools, onFilter: () => void): ColumnAction[] {
  const isDisabled = state.at !== '';
  const type = types.get(column.type);
  const sort = (order: string) => ({ isDisabled, act: () => set({ sort: column.id, order, cell: '1.1', to: '' }) });
  const only = (label: string, test: Test): ColumnAction => ({
    label,
    isDisabled,
    act: () => addCondition({ state, set }, { column: column.id, test, value: '', to: '' }),
  });
  const isVerdict = type?.verdicts;
  return [
    { label: 'Sort ascending', ...sort('asc') },
    { label: 'Sort descending', ...sort('desc') },
    { label: 'Filter…', isDisabled, act: onFilter },
    ...(isVerdict ? [only('Only rows answered no', 'no')] : []),
    ...(type?.computed ? [only('Only rows that failed', 'failed')] : []),
  ];
}

interface Props extends Omit<Acting, 'tools'> {
  scroller: RefObject<HTMLDivElement | null>;
  /** The column of the selected cell. */
  at: number;
}

export interface ColumnMenu {
  open: (at: number) => void;
  /** Runs the action of a shortcut on the selected column; false for other keys. */
  act: (event: KeyboardEvent) => boolean;
  element: ReactNode;
}

/** The menu of a column, below its head. */
export function useColumnMenu({ scroller, at, onColumn, onFilter, onPlace }: Props): ColumnMenu {
  const tools = useSheet();
  const [menu, setMenu] = useState<{ id: string; left: number; bottom: number } | null>(null);
  const actionsOf = (column: number) => columnActions(column, { tools, onColumn, onFilter, onPlace });
  const open = (column: number) => {
    const head = scroller.current!.querySelector(`.grid-head [aria-colindex="${column + 1}"]`);
    if (!head) return;
    const { left, bottom } = head.getBoundingClientRect();
    setMenu({ id: tools.columns[column]!.id, left, bottom });
  };
  const close = () => {
    setMenu(null);
    scroller.current?.focus({ preventScroll: true });
  };
  const act = ({ key, code, altKey, shiftKey }: KeyboardEvent) => {
    const opens = key === 'ContextMenu' || (key === 'F10' && shiftKey);
    if (opens) open(at);
    const action = altKey && shiftKey ? actionsOf(at).find((each) => each.code === code) : undefined;
    if (action && !action.isDisabled) action.act();
    return opens || action !== undefined;
  };
  // Others may move or delete columns while their menu is open.
  const place = tools.columns.findIndex(({ id }) => id === menu?.id);
  const title = `Column ${tools.columns[place]?.title ?? ''}`;
  const element = menu && place >= 0 && <Menu label={title} at={menu} items={actionsOf(place)} onClose={close} />;
  return { open, act, element };
}
