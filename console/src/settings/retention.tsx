import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { RetentionBody, RetentionDryRunResponse, RetentionRequest } from '../api/schema.gen';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Field, Form, FormDialog, type FormValues } from '../ui/form';
import { count, moment } from '../ui/format';
import { Section } from './section';

/** For how long traces and request logs are kept. Nothing is deleted before it was counted and confirmed. */
export function Retention() {
  const path = useHere();
  return (
    <Section
      title="Retention"
      about="What is older is deleted for good, within seconds. Nothing is deleted while there is no limit."
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
  const [counted, setCounted] = useState<RetentionDryRunResponse | null>(null);
  const tryOut = async (values: FormValues) => {
    const body = { traces_days: values.number('traces_days'), request_logs_days: values.number('request_logs_days') };
    setCounted(await api(`POST ${WORKSPACE}/retention/dry-run`, { path, body }));
  };
  const set = async (body: RetentionRequest) => {
    await api(`PUT ${WORKSPACE}/retention`, { path, body });
    await refresh();
  };
  return (
    <>
      <Form submit="Count what would be deleted…" onSubmit={tryOut}>
        <LimitFields limits={limits} />
      </Form>
      {counted && (
        <FormDialog
          title="Set these limits?"
          submit={deletesSomething(counted) ? 'Set them and delete' : 'Set them'}
          onSubmit={() => set(counted.limits)}
          onClose={() => setCounted(null)}
        >
          <Counted what="traces" days={counted.limits.traces_days} {...counted.traces} />
          <Counted what="request logs" days={counted.limits.request_logs_days} {...counted.request_logs} />
        </FormDialog>
      )}
    </>
  );
}

function LimitFields({ limits }: { limits: RetentionBody }) {
  const days = (name: 'traces_days' | 'request_logs_days', label: string) => (
    <Field label={label} hint="Empty keeps them for ever.">
      <input className="field" type="number" name={name} min={1} max={36_500} defaultValue={limits[name] ?? ''} />
    </Field>
  );
  return (
    <div className="columns">
      {days('traces_days', 'Days that traces are kept')}
      {days('request_logs_days', 'Days that request logs are kept')}
    </div>
  );
}

const deletesSomething = ({ traces, request_logs }: RetentionDryRunResponse) => traces.count + request_logs.count > 0;

interface CountedProps {
  what: string;
  days: number | null;
  count: number;
  spans?: number;
  oldest: string | null;
  newest: string | null;
}

function Counted({ what, days, count: total, spans, oldest, newest }: CountedProps) {
  if (days === null) return <p>{`All ${what} are kept for ever.`}</p>;
  if (total === 0) return <p>{`No ${what} are older than ${count(days)} days.`}</p>;
  const withSpans = spans === undefined ? '' : ` with ${count(spans)} spans`;
  return (
    <p>
      <strong className="bad">{`${count(total)} ${what}${withSpans} are deleted for good`}</strong>
      {`: from ${moment(oldest!)} to ${moment(newest!)}.`}
    </p>
  );
}
