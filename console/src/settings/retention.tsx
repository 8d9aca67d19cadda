import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { RetentionBody, RetentionDryRunResponse, RetentionRequest } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Field, Form, FormDialog, type FormValues } from '../ui/form';
import { counted, moment } from '../ui/format';
import { Section } from './section';

/** How long traces and request logs are kept. Deletions are counted and confirmed before. */
export function Retention() {
  const path = useHere();
  return (
    <Section
      title="Retention"
      about="Traces and requests that are older than these limits are deleted for good. Without a limit nothing is deleted."
      permission="ADMIN"
      to="see and set for how long things are kept"
      queryKey={['retention']}
      read={(signal) => api(`GET ${WORKSPACE}/retention`, { path, signal })}
    >
      {({ retention }) => <Limits limits={retention} key={retention.updated_at} />}
    </Section>
  );
}

function Limits({ limits }: { limits: RetentionBody }) {
  const path = useHere();
  const refresh = useRefresh('retention');
  const [tried, setTried] = useState<RetentionDryRunResponse | null>(null);
  const tryOut = async (values: FormValues) => {
    const body = { traces_days: values.number('traces_days'), request_logs_days: values.number('request_logs_days') };
    setTried(await api(`POST ${WORKSPACE}/retention/dry-run`, { path, body }));
  };
  const set = async (body: RetentionRequest) => {
    await api(`PUT ${WORKSPACE}/retention`, { path, body });
    await refresh();
  };
  return (
    <>
      <Form submit="Set limits…" onSubmit={tryOut}>
        <LimitFields limits={limits} />
        <p className="quiet-text">
          If empty, data is kept forever. You see what would be deleted before anything is deleted.
        </p>
      </Form>
      {tried && (
        <FormDialog
          title="Set these limits?"
          submit={deletesSomething(tried) ? 'Set limits and delete' : 'Set them'}
          isDangerous={deletesSomething(tried)}
          onSubmit={() => set(tried.limits)}
          onClose={() => setTried(null)}
        >
          <Counted what="trace" days={tried.limits.traces_days} {...tried.traces} />
          <Counted what="request" days={tried.limits.request_logs_days} {...tried.request_logs} />
        </FormDialog>
      )}
    </>
  );
}

function LimitFields({ limits }: { limits: RetentionBody }) {
  const days = (name: 'traces_days' | 'request_logs_days', label: string) => (
    <Field label={label}>
      <input className="field" type="number" name={name} min={1} max={36_500} defaultValue={limits[name] ?? ''} />
    </Field>
  );
  return (
    <div className="columns">
      {days('traces_days', 'Days to keep traces')}
      {days('request_logs_days', 'Days to keep requests')}
    </div>
  );
}

const deletesSomething = ({ traces, request_logs }: RetentionDryRunResponse) => traces.count + request_logs.count > 0;

interface CountedProps {
  /** In the singular. */
  what: string;
  days: number | null;
  count: number;
  spans?: number;
  oldest: string | null;
  newest: string | null;
}

function Counted({ what, days, count: total, spans, oldest, newest }: CountedProps) {
  if (days === null) return <p>{`All ${what}s are kept forever.`}</p>;
  const limit = `older than ${counted(days, 'day')}`;
  if (total === 0) return <p>{`No ${what} is ${limit}.`}</p>;
  const withSpans = spans === undefined ? '' : `, with ${counted(spans, 'span')},`;
  return (
    <p>
      <strong className="bad">{`${counted(total, what)} ${limit}${withSpans} will be deleted permanently`}</strong>
      {`: from ${moment(oldest!)} to ${moment(newest!)}.`}
    </p>
  );
}
