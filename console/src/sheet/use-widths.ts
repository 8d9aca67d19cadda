import { useCallback, useMemo, useState } from 'react';
import type { ColumnBody } from '../api/schema.gen';

const WIDTH_PX = 200;
const LEAST_PX = 56;

/** How wide the columns of a sheet are. This browser remembers it. */
export function useWidths(columns: ColumnBody[]) {
  const place = `widths ${columns[0]?.sheet_id ?? ''}`;
  const [chosen, setChosen] = useState(() => JSON.parse(localStorage.getItem(place) ?? '{}') as Record<string, number>);
  const widths = useMemo(() => columns.map(({ id }) => chosen[id] ?? WIDTH_PX), [columns, chosen]);
  const setWidth = useCallback(
    (id: string, width: number) =>
      setChosen((last) => {
        const next = { ...last, [id]: Math.max(LEAST_PX, Math.round(width)) };
        localStorage.setItem(place, JSON.stringify(next));
        return next;
      }),
    [place],
  );
  return { widths, setWidth };
}
