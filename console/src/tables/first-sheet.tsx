import { useState } from 'react';
import { Redirect } from 'wouter';
import { useSheetChoice } from '../api/choices';
import { api } from '../api/client';
import { useMay } from '../shell/permissions';
import { Back, Failure, Note, Waiting } from '../ui/parts';

/** A table opens with its first sheet. */
export default function FirstSheet({ id }: { id: string }) {
  const { data, error, refetch } = useSheetChoice(id);
  const mayEdit = useMay('TABLE_EDIT');
  const [refusal, setRefusal] = useState<Error | null>(null);
  const create = async () => {
    await api('POST /api/public/v2/tables/{table_id}/sheets', { path: { table_id: id }, body: {} });
    await refetch();
  };
  const failure = error ?? refusal;
  const again = () => {
    setRefusal(null);
    void refetch();
  };
  if (failure) return <Failure error={failure} onRetry={again} />;
  if (!data) return <Waiting on />;
  const [first] = data;
  if (first) return <Redirect to={`/tables/${id}/${first.id}`} replace />;
  return (
    <>
      <header className="screen-head">
        <Back href="/tables" title="All tables" />
        <h1>Table</h1>
      </header>
      <Note
        title="This table has no sheets"
        action={mayEdit && { label: 'Create a sheet', act: () => void create().catch(setRefusal) }}
      >
        <p>A sheet has the rows and columns of a table.</p>
      </Note>
    </>
  );
}
