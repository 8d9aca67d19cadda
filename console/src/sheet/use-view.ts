import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useMemo, useRef } from 'react';
import { api } from '../api/client';
import type { ColumnBody } from '../api/schema.gen';
import {
  arrange,
  type Arranging,
  type ColumnList,
  NO_VIEW,
  ofColumns,
  positionBeside,
  type View,
  withListed,
  withWidth,
} from './arrange';
import { noticeOf, SHEET, type SheetTools } from './sheet-data';

export function useSheetView(path: SheetTools['path']) {
  return useQuery({
    queryKey: keyOf(path),
    queryFn: async ({ signal }) => (await api(`GET ${SHEET}/view`, { path, signal })).view as View,
    staleTime: Infinity,
  });
}

const keyOf = ({ sheet_id: sheet }: SheetTools['path']) => ['view', sheet];

type Change = (view: View) => View;

const changed = (view: View, changes: Change[]): View => changes.reduce((before, change) => change(before), view);

/** Adds a column to a list or removes it, by the view that is shown: somebody else may have stored the same change. */
function listing(list: ColumnList, id: string, shown: View): Change {
  const isListed = !shown[list].includes(id);
  return (view) => withListed(view, list, id, isListed);
}

type Given = Pick<SheetTools, 'path' | 'canEdit' | 'notify' | 'refresh'> & { all: ColumnBody[]; view: View };

/** Changes of the view are shown at once, and stored for everybody by those who may edit the sheet. */
function storedChanges(client: QueryClient, current: RefObject<Given>) {
  const show = (next: View) => client.setQueryData(keyOf(current.current.path), next);
  const latest = () => client.getQueryData<View>(keyOf(current.current.path)) ?? NO_VIEW;
  /** Changes that are shown and not stored yet. */
  const unsaved: Change[] = [];
  const change = (one: Change) => {
    show(one(latest()));
    if (current.current.canEdit) unsaved.push(one);
  };
  let lastWrite: Promise<unknown> = Promise.resolve();
  const write = async () => {
    const { path, notify, all: columns } = current.current;
    const changes = unsaved.splice(0);
    try {
      // Others may have arranged the sheet since it was opened: their changes stay.
      const { view } = await api(`GET ${SHEET}/view`, { path });
      const body = ofColumns(changed(view, changes), columns);
      await api(`PUT ${SHEET}/view`, { path, body });
      show(changed(body, unsaved));
    } catch (error) {
      notify(noticeOf(error));
      void client.invalidateQueries({ queryKey: keyOf(path) });
    }
  };
  // One after the other: each changes the view that the one before has stored.
  const keep = () => {
    if (current.current.canEdit) lastWrite = lastWrite.then(write);
  };
  const changeAndKeep = (one: Change) => {
    change(one);
    keep();
  };
  return { latest, change, keep, changeAndKeep };
}

export function useArranging(given: Given): Arranging {
  const { all, view } = given;
  const client = useQueryClient();
  const current = useRef(given);
  current.current = given;
  const acts = useMemo(() => {
    const { latest, change, keep, changeAndKeep } = storedChanges(client, current);
    return {
      keep,
      setWidth: (id: string, width: number) => change((view) => withWidth(view, id, width)),
      setLines: (lines: number) => changeAndKeep((view) => ({ ...view, row_lines: lines })),
      toggleHidden: (id: string) => changeAndKeep(listing('hidden_column_ids', id, latest())),
      showAll: () => changeAndKeep((view) => ({ ...view, hidden_column_ids: [] })),
      togglePinned: (id: string) => {
        changeAndKeep(listing('pinned_column_ids', id, latest()));
        return arrange(current.current.all, latest()).shown.findIndex((column) => column.id === id);
      },
      move: async (id: string, position: number) => {
        const { path, notify, refresh } = current.current;
        try {
          await api(`PATCH ${SHEET}/columns/{column_id}`, { path: { ...path, column_id: id }, body: { position } });
          refresh();
          return true;
        } catch (error) {
          notify(noticeOf(error));
          return false;
        }
      },
    };
  }, [client]);
  const arranged = useMemo(() => arrange(all, view), [all, view]);
  return useMemo(
    () => ({ ...arranged, ...acts, positionBeside: (at, step) => positionBeside(all, arranged, at, step) }),
    [all, arranged, acts],
  );
}
