import { useSheetChoice, useTableChoice } from '../api/choices';

/** The tables to choose from, and the sheets of the one that is chosen; no sheets while its id is empty. */
export function usePlaces(tableId: string) {
  const tables = useTableChoice();
  const sheets = useSheetChoice(tableId);
  const refetch = () => {
    void tables.refetch();
    // A query that is not enabled would be sent with an empty id.
    if (tableId !== '') void sheets.refetch();
  };
  return {
    tables: tables.data ?? [],
    sheets: tableId === '' ? [] : (sheets.data ?? []),
    error: tables.error ?? sheets.error,
    refetch,
  };
}
