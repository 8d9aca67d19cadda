import './activity.css';
import { useState } from 'react';
import { Link } from 'wouter';
import type { AuditEntryBody, EventBody } from '../api/schema.gen';
import { useRedelivery } from '../settings/deliveries';
import { ExportButtons, ExportState, SOURCES } from '../settings/exports';
import { Needs } from '../shell/permissions';
import { counted } from '../ui/format';
import { Failure, Note, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { More } from '../ui/table';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { screenOf } from './entity-link';
import { SheetJob } from './sheet-job';
import { byDay } from './timeline';
import { type Delivery, type Happening, KINDS, type Kind, useActivity, useWebhookNames } from './use-activity';
import { factsOf, inWords } from './words';

const DEFAULTS = { kind: '' };
const CHOICES = { '': 'Everything', ...KINDS };

/** Jobs of the server and actions of people on one timeline. */
export default function Activity() {
  const [{ kind }, set] = useUrlState(DEFAULTS);
  const only = Object.hasOwn(KINDS, kind) ? (kind as Kind) : '';
  const { happenings, error, refetch, isPending, ...list } = useActivity(only);
  const [problem, setProblem] = useState<Error | null>(null);
  const names = useWebhookNames();
  useTitle('Activity');
  const failure = problem ?? error;
  const again = () => {
    setProblem(null);
    void refetch();
  };
  return (
    <>
      <header className="screen-head">
        <h1>Activity</h1>
        <Choice label="Kind" options={CHOICES} value={only} onChange={(chosen) => set({ kind: chosen })} />
        <button className="button" onClick={again}>
          Refresh
        </button>
      </header>
      <Waiting on={isPending || list.isFetchingNextPage} />
      <div className="screen-body activity">
        <Needs permission="ADMIN" to="see webhook deliveries, changes and events" />
        {failure && <Failure error={failure} onRetry={again} />}
        {!failure && !isPending && happenings.length === 0 && <Nothing only={only} onClear={() => set({ kind: '' })} />}
        {byDay(happenings).map(({ day, entries }) => (
          <section key={day}>
            <h2>{day}</h2>
            <ol className={only === '' ? 'lines of-all-kinds' : 'lines'}>
              {entries.map((entry) => (
                <li key={entry.key}>
                  <time dateTime={entry.at}>{new Date(entry.at).toTimeString().slice(0, 8)}</time>
                  {only === '' && <span className="quiet-text">{KINDS[entry.kind]}</span>}
                  <What entry={entry} names={names} onError={setProblem} />
                </li>
              ))}
            </ol>
          </section>
        ))}
        <More list={list} />
      </div>
    </>
  );
}

function Nothing({ only, onClear }: { only: Kind | ''; onClear: () => void }) {
  if (only === '') return <Note title="No activity yet" />;
  return (
    <Note title="No activity of this kind" action={{ label: 'Show everything', act: onClear }}>
      <p>The list shows only {KINDS[only].toLowerCase()}.</p>
    </Note>
  );
}

interface WhatProps {
  entry: Happening;
  names: Map<number, string>;
  onError: (error: Error) => void;
}

function What({ entry, names, onError }: WhatProps) {
  switch (entry.kind) {
    case 'operations':
    case 'imports':
      return <SheetJob job={entry} onError={onError} />;
    case 'exports':
      return (
        <>
          <span>
            {`${SOURCES[entry.item.source]}: ${counted(entry.item.row_count, 'row')}, `}
            <ExportState item={entry.item} />
          </span>
          <span className="buttons">
            <ExportButtons item={entry.item} onError={onError} />
          </span>
        </>
      );
    case 'deliveries':
      return <DeliveryLine delivery={entry.item} name={names.get(entry.item.webhook_id)} onError={onError} />;
    case 'audit':
      return <AuditLine entry={entry.item} />;
    case 'events':
      return <EventLine event={entry.item} />;
  }
}

interface DeliveryProps {
  delivery: Delivery;
  name: string | undefined;
  onError: (error: Error) => void;
}

function DeliveryLine({ delivery, name, onError }: DeliveryProps) {
  const { id, webhook_id, event_type, status, response_status, error, attempts } = delivery;
  const sendAgain = useRedelivery(webhook_id);
  return (
    <>
      <span className="breaks">
        <span title={event_type}>{inWords(event_type)}</span> to{' '}
        <Link className="link" href="/settings/webhooks">
          {name ?? `webhook ${webhook_id}`}
        </Link>
        {': '}
        <span className={status === 'failed' ? 'bad' : undefined}>{status}</span>
        {response_status !== null && `, HTTP ${response_status}`}
        {attempts > 1 && `, ${attempts} tries`}
        {error !== null && <span className="quiet-text"> {error}</span>}
      </span>
      <span className="buttons">
        <button className="button" disabled={status === 'pending'} onClick={() => void sendAgain(id).catch(onError)}>
          Send again
        </button>
      </span>
    </>
  );
}

function AuditLine({ entry }: { entry: AuditEntryBody }) {
  const { action, entity_name, entity_id, key_name, key_last_4, source } = entry;
  const ending = `…${key_last_4 ?? ''}`;
  // A key without a name is called by its last characters already.
  const key = key_name?.endsWith(ending) ? key_name : `${key_name ?? 'a key'} ${ending}`;
  const who = source === 'operator' ? 'the operator' : key;
  const screen = screenOf(entry);
  return (
    <span className="breaks">
      <span title={action}>{inWords(action)}</span>{' '}
      {screen ? (
        <Link className="link" href={screen}>
          {entity_name ?? entity_id}
        </Link>
      ) : (
        (entity_name ?? entity_id)
      )}{' '}
      <span className="quiet-text">by {who}</span>
    </span>
  );
}

function EventLine({ event: { event_type, details } }: { event: EventBody }) {
  return (
    <span className="breaks">
      <span title={event_type}>{inWords(event_type)}</span> <span className="quiet-text">{factsOf(details)}</span>
    </span>
  );
}
