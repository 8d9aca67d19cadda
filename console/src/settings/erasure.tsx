import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { useCursorList, useRefresh } from '../api/lists';
import type { CreateErasureRequest, ErasureBody } from '../api/schema.gen';
import { Needs, useMay } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { type Fact, FactList } from '../ui/facts';
import { Field, Form, FormDialog, type FormValues } from '../ui/form';
import { count, exact, UNKNOWN } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { More, Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { isUnderWay } from './exports';

const ERASURES = `${WORKSPACE}/erasures` as const;
const POLL_MS = 1000;
const DEFAULTS = { id: '' };
const SUBJECTS = { user_id: 'A user', session_id: 'A session', metadata: 'Metadata key and value' };
type SubjectType = keyof typeof SUBJECTS;
type Subject = Omit<CreateErasureRequest, 'dry_run'>;

/** Counts everything about a person, erases it after a confirmation, and shows the proof that nothing is left. */
export function Erasure() {
  const may = useMay('ADMIN');
  return (
    <section className="setting">
      <header>
        <h2>Erase a person’s data</h2>
      </header>
      <p className="quiet-text">
        Traces, requests and everything derived from them: rows, export files, events and search index entries. This
        cannot be undone. The server keeps no record of whose data it was.
      </p>
      {may ? <Erasures /> : <Needs permission="ADMIN" to="count and erase what is about a person" />}
    </section>
  );
}

function Erasures() {
  const path = useHere();
  const [{ id }, set] = useUrlState(DEFAULTS);
  const refresh = useRefresh('erasures');
  /** Id and subject of the last counted erasure. The server does not store the subject. */
  const [counted, setCounted] = useState<{ id: string; subject: Subject } | null>(null);
  const begin = async (subject: Subject, isDry: boolean) => {
    const { erasure } = await api(`POST ${ERASURES}`, { path, body: { ...subject, dry_run: isDry } });
    await refresh();
    setCounted(isDry ? { id: erasure.id, subject } : null);
    set({ id: erasure.id });
  };
  return (
    <>
      <CountForm onCount={(subject) => begin(subject, true)} />
      {id !== '' && (
        <Result
          key={id}
          id={id}
          subject={counted?.id === id ? counted.subject : null}
          onErase={(subject) => begin(subject, false)}
        />
      )}
      <Past onOpen={(next) => set({ id: next })} />
    </>
  );
}

function CountForm({ onCount }: { onCount: (subject: Subject) => Promise<void> }) {
  const [type, setType] = useState<SubjectType>('user_id');
  const submit = (values: FormValues) =>
    onCount(
      type === 'metadata'
        ? { metadata: { key: values.raw('key'), value: values.raw('value') } }
        : { [type]: values.raw('value') },
    );
  return (
    <Form submit="Count their data" onSubmit={submit}>
      <Choice label="Whose data" options={SUBJECTS} value={type} onChange={(next) => setType(next as SubjectType)} />
      {type === 'metadata' && (
        <Field label="Key" isRequired>
          <input className="field" name="key" required maxLength={255} spellCheck={false} />
        </Field>
      )}
      <Field
        label={type === 'metadata' ? 'Value' : 'Id'}
        hint={type === 'user_id' ? 'The user_id your applications send. Case-sensitive.' : undefined}
        isRequired
      >
        <input className="field" name="value" required maxLength={1000} spellCheck={false} />
      </Field>
    </Form>
  );
}

interface ResultProps {
  id: string;
  /** Null for an erasure that was not counted on this page. */
  subject: Subject | null;
  onErase: (subject: Subject) => Promise<void>;
}

/** The progress of an erasure, its counts, and the final proof. */
function Result({ id, subject, onErase }: ResultProps) {
  const path = useHere();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['erasures', 'one', id],
    queryFn: ({ signal }) => api(`GET ${ERASURES}/{erasure_id}`, { path: { ...path, erasure_id: id }, signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.erasure) ? POLL_MS : false),
  });
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Waiting on={isFetching} />;
  const { erasure } = data;
  const isBusy = isUnderWay(erasure);
  return (
    <section className="box erasure" aria-label="Result">
      <p role="status">
        {isBusy && <progress max={100} value={erasure.progress} aria-label="Done, in percent" />}
        {` ${stateOf(erasure)}`}
      </p>
      {erasure.error_message && <p className="bad text">{erasure.error_message}</p>}
      <Counts counts={erasure.counts} isDone={!isBusy} />
      {erasure.dry_run ? (
        <AfterCount erasure={erasure} subject={subject} onErase={onErase} />
      ) : (
        <Proof erasure={erasure} />
      )}
    </section>
  );
}

function Proof({ erasure: { id, verified_at: at } }: { erasure: ErasureBody }) {
  if (at === null) return null;
  return (
    <p>
      <strong className="good">{`Verified: a full search found nothing left at ${exact(at)}.`}</strong>
      <span className="quiet-text">{` Erasure ${id}.`}</span>
    </p>
  );
}

/** Leads from the counts to the erasure. */
function AfterCount({ erasure, subject, onErase }: Omit<ResultProps, 'id'> & { erasure: ErasureBody }) {
  const [isAsking, setAsking] = useState(false);
  if (erasure.status !== 'completed' || totalOf(erasure) === 0) return null;
  if (!subject)
    return <p className="quiet-text">To erase, count again: the server does not store whose data it was.</p>;
  return (
    <>
      <div className="actions">
        <button className="button primary dangerous" onClick={() => setAsking(true)}>
          Erase…
        </button>
      </div>
      {isAsking && (
        <FormDialog
          title="Erase all of this person’s data?"
          submit="Erase permanently"
          isDangerous
          onSubmit={() => onErase(subject)}
          onClose={() => setAsking(false)}
        >
          <p dir="auto">{nameOf(subject)}</p>
          <Counts counts={erasure.counts} isDone />
          <p>
            <strong className="bad">It cannot be undone.</strong>
          </p>
        </FormDialog>
      )}
    </>
  );
}

function stateOf({ status, dry_run: isDry, step }: ErasureBody): string {
  if (status === 'failed') return 'It failed.';
  if (status === 'completed') return isDry ? 'This would be erased:' : 'This was erased:';
  return `${isDry ? 'Counting' : 'Erasing'}${step === null ? '' : `: ${words(step)}`}`;
}

const words = (name: string): string => name.replaceAll('_', ' ');
const totalOf = ({ counts }: ErasureBody): number => Object.values(counts).reduce((sum, value) => sum + value, 0);

function nameOf({ user_id: user, session_id: session, metadata }: Subject): string {
  if (user !== undefined) return `The user ${user}`;
  return session === undefined ? `${metadata!.key} = ${metadata!.value}` : `The session ${session}`;
}

function Counts({ counts, isDone }: { counts: ErasureBody['counts']; isDone: boolean }) {
  const facts = Object.entries(counts).map(([kind, value]): Fact => [words(kind), count(value)]);
  if (facts.length > 0) return <FactList facts={facts} />;
  return isDone ? <p>Nothing.</p> : null;
}

function Past({ onOpen }: { onOpen: (id: string) => void }) {
  const path = useHere();
  const list = useCursorList(
    ['erasures', 'list'],
    (cursor, signal) => api(`GET ${ERASURES}`, { path, query: { cursor }, signal }),
    { isUnderWay },
  );
  if (list.error) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  if (list.items.length === 0) return null;
  return (
    <>
      <h3>Earlier ones</h3>
      <Table
        label="Erasures"
        rows={list.items}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Started', cell: ({ created_at }) => <Moment at={created_at} /> },
          { name: 'Who', cell: ({ subject_type: type }) => SUBJECTS[type] },
          { name: 'Kind', cell: ({ dry_run: isDry }) => (isDry ? 'counted' : 'erased') },
          { name: 'State', cell: ({ status }) => <span className={status === 'failed' ? 'bad' : ''}>{status}</span> },
          { name: 'Items', className: 'number', cell: (erasure) => count(totalOf(erasure)) },
          {
            name: 'Verified empty at',
            cell: ({ verified_at: at, dry_run: isDry }) => (at && !isDry ? exact(at) : UNKNOWN),
          },
          {
            name: '',
            className: 'buttons',
            cell: ({ id }) => (
              <button className="button" onClick={() => onOpen(id)}>
                Open
              </button>
            ),
          },
        ]}
      />
      <More list={list} />
    </>
  );
}
