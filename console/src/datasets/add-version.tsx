import { useState } from 'react';
import { api } from '../api/client';
import { CallFilter } from '../logs/call-filter';
import { DEFAULTS as LOGS, listOf, type LogState } from '../logs/log-state';
import { useLogCounts } from '../logs/use-logs';
import { Field, Form, FormDialog, type FormValues } from '../ui/form';
import { counted } from '../ui/format';
import { Failure, Waiting } from '../ui/parts';
import { readBase64 } from '../ui/read-file';
import { useNow } from '../ui/use-now';

const VERSIONS = '/api/public/v2/dataset-versions';
const MOST_CALLS = 50_000;

interface Props {
  group: number;
  /** The id of the version, which is listed when its rows are stored. */
  onStarted: (dataset: number) => void;
  onClose: () => void;
}

export function FromFile({ group, onStarted, onClose }: Props) {
  const upload = async (values: FormValues) => {
    const file = values.file('file');
    if (!file) throw new Error('Choose a file.');
    const { dataset_id: id } = await api(`POST ${VERSIONS}/from-file`, {
      body: { dataset_group_id: group, file_name: file.name, file_content_base64: await readBase64(file) },
    });
    return id;
  };
  return (
    <FormDialog
      title="Add a version from a file"
      submit="Add the version"
      onSubmit={upload}
      onDone={onStarted}
      onClose={onClose}
    >
      <Field label="CSV or JSON file" hint="A CSV with titles in its first line, or a JSON list of objects.">
        <input className="file" name="file" type="file" accept=".csv,.json" data-first="" />
      </Field>
      <p className="quiet-text">A draft of the dataset is not changed.</p>
    </FormDialog>
  );
}

export function FromRequests({ group, onStarted, onClose }: Props) {
  const [state, setState] = useState<LogState>(LOGS);
  const { now } = useNow(JSON.stringify(listOf(state)));
  const counts = useLogCounts(state, now);
  const total = counts.data?.total ?? 0;
  const calls = counted(total, 'call', counts.data?.isPartial ? '+' : '');
  const add = async (values: FormValues) => {
    const { dataset_id: id } = await api(`POST ${VERSIONS}/from-filter-params`, {
      body: { dataset_group_id: group, ...counts.wanted, limit: values.number('limit') },
    });
    return id;
  };
  return (
    <section className="dataset-requests" aria-label="Add a version from requests">
      <h2>Add a version from requests</h2>
      <CallFilter state={state} onChange={(change) => setState((before) => ({ ...before, ...change }))} />
      <Waiting on={counts.isFetching} />
      {counts.error && <Failure error={counts.error} onRetry={() => void counts.refetch()} />}
      {counts.data && (
        <p role="status">
          {`${calls} ${total === 1 ? 'matches' : 'match'}. Each becomes a row. A draft of the dataset becomes this version.`}
        </p>
      )}
      <Form submit="Add the version" onSubmit={add} onDone={onStarted} onCancel={onClose}>
        <Field label="Calls at most (optional)" hint="The newest are taken.">
          <input className="field" name="limit" type="number" min={1} max={MOST_CALLS} />
        </Field>
      </Form>
    </section>
  );
}
