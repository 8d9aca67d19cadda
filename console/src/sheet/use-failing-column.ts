import { useEffect } from 'react';
import { api } from '../api/client';
import type { GridRowsResponse } from '../api/schema.gen';
import { asksForFailures, filterOf, readConditions } from './row-look';
import type { Spot } from './selection';
import { SHEET, type SheetTools } from './sheet-data';

/** Goes to the column that failed in the first row, once for every filter that asks for failures. */
export function useFailingColumn({ path, columns, state, set }: SheetTools, head: Spot): void {
  const { status, where, at } = state;
  const isAtStart = head.row === 0 && head.column === 0;
  useEffect(() => {
    if (at !== '' || !isAtStart) return undefined;
    const controller = new AbortController();
    const goTo = (id: string | undefined) => {
      const place = columns.findIndex((column) => column.id === id);
      if (place > 0 && !controller.signal.aborted) set({ cell: `1.${place + 1}`, to: '' }, { replace: true });
    };
    const asked = readConditions(where).findLast(asksForFailures);
    if (asked) goTo(asked.column);
    else if (status === 'error') void firstFailed(controller.signal).then(goTo, () => undefined);
    return () => controller.abort();

    async function firstFailed(signal: AbortSignal): Promise<string | undefined> {
      const filter = filterOf({ status, where })!;
      const body = { view: 'grid' as const, limit: 1, include_columns: false, filter };
      const page = (await api(`POST ${SHEET}/rows/search`, { path, body, signal })) as GridRowsResponse;
      const failed = Object.entries(page.data[0]?.statuses ?? {}).find(([, each]) => each === 'error');
      return failed && page.column_ids[Number(failed[0])];
    }
    // oxlint-disable-next-line exhaustive-deps -- only another filter goes there again: afterwards the cursor is the reader's
  }, [status, where, at]);
}
