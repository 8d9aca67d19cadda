import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { api } from '../api/client';
import type { ColumnBody } from '../api/schema.gen';
import { arrange, type Arranging, NO_VIEW, ofColumns, positionBeside, toggled, type View, withWidth } from './arrange';
import { noticeOf, SHEET, type SheetTools } from './sheet-data';

export function useSheetView(path: SheetTools['path']) {
  return useQuery({
    queryKey: keyOf(path),
    queryFn: async ({ signal }) => (await api(`GET ${SHEET}/view`, { path, signal })).view as View,
    staleTime: Infinity,
  });
}

const keyOf = ({ sheet_id: sheet }: SheetTools['path']) => ['view', sheet];

type Given = Pick<SheetTools, 'path' | 'canEdit' | 'notify' | 'refresh'> & { all: ColumnBody[]; view: View };

export function useArranging(given: Given): Arranging {
  const { all, view } = given;
  const client = useQueryClient();
  const current = useRef(given);
  current.current = given;
  const acts = useMemo(() => {
    const show = (next: View) => client.setQueryData(keyOf(current.current.path), next);
    const latest = () => client.getQueryData<View>(keyOf(current.current.path)) ?? NO_VIEW;
    let lastWrite: Promise<unknown> = Promise.resolve();
    const write = async () => {
      const { path, notify, all: columns } = current.current;
      try {
        await api(`PUT ${SHEET}/view`, { path, body: ofColumns(latest(), columns) });
      } catch (error) {
        notify(noticeOf(error));
        void client.invalidateQueries({ queryKey: keyOf(path) });
      }
    };
    // One after the other: the last one decides.
    const keep = () => {
      if (current.current.canEdit) lastWrite = lastWrite.then(write);
    };
    const change = (part: Partial<View>) => {
      show({ ...latest(), ...part });
      keep();
    };
    return {
      keep,
      setWidth: (id: string, width: number) => void show(withWidth(latest(), id, width)),
      setLines: (lines: number) => change({ row_lines: lines }),
      toggleHidden: (id: string) => change({ hidden_column_ids: toggled(latest().hidden_column_ids, id) }),
      showAll: () => change({ hidden_column_ids: [] }),
      togglePinned: (id: string) => {
        change({ pinned_column_ids: toggled(latest().pinned_column_ids, id) });
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
