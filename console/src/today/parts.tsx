import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ImportState, OperationState, SheetPlace } from '../activity/sheet-job';
import { writeCondition } from '../search/conditions';
import { withScope } from '../shell/scope';
import { costOf, count, counted, duration } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure } from '../ui/parts';
import { changeOf, logsOf, type Seen } from './day';
import { useCounts, useGrown, useNewestFailures, useRefused, useRunning } from './use-day';

interface PartProps<T> {
  title: string;
  query: { data: T | undefined; error: Error | null; refetch: () => unknown };
  children: (data: T) => ReactNode;
}

/** A part of the screen that fails on its own, so that the others stay. */
function Part<T>({ title, query: { data, error, refetch }, children }: PartProps<T>) {
  return (
    <section>
      <h2>{title}</h2>
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : data !== undefined && children(data)}
    </section>
  );
}

/** Failures by error type, and the newest ones with their messages. */
export function Failures({ range }: { range: Seen }) {
  const counts = useCounts(range, 'failed');
  const newest = useNewestFailures(range);
  return (
    <div className="today-side">
      <Part title="Failures by error" query={counts}>
        {(groups) =>
          groups.length === 0 ? (
            <p className="quiet-text">No request failed.</p>
          ) : (
            <Counts
              groups={groups}
              hrefOf={(name) => logsOf(range, { status: 'ERROR', conditions: [`error_group is ${name}`] })}
            />
          )
        }
      </Part>
      <Part title="Newest failures" query={newest}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet-text">There are none.</p>
          ) : (
            <ul className="lines">
              {items.map(({ id, request_start_time, engine, preview, error_type }) => (
                <li key={id}>
                  <Link className="link" href={`/logs?${new URLSearchParams({ f: `pl_id is ${id}`, id: String(id) })}`}>
                    <Moment at={request_start_time} />
                  </Link>{' '}
                  <span className="quiet-text">{engine}</span>{' '}
                  <bdi>{preview?.error ?? error_type ?? 'failed without a message'}</bdi>
                </li>
              ))}
            </ul>
          )
        }
      </Part>
    </div>
  );
}

interface CountsProps {
  groups: { name: string; count: number }[];
  hrefOf: (name: string) => string;
  actionOf?: (name: string) => ReactNode;
}

/** Numbers that link to the counted items. */
function Counts({ groups, hrefOf, actionOf }: CountsProps) {
  return (
    <ul className="lines counts">
      {groups.map(({ name, count: total }) => (
        <li key={name}>
          <Link className="link" href={hrefOf(name)}>
            {counted(total, 'request')}
          </Link>
          <span dir="auto" className="breaks">
            {name}
          </span>
          {actionOf?.(name)}
        </li>
      ))}
    </ul>
  );
}

/** Names whose traces take longer or cost more than the day before. */
export function GrownTraces({ today, yesterday }: { today: Seen; yesterday: Seen }) {
  return (
    <Part title="Traces that got slower or more expensive" query={useGrown(today, yesterday)}>
      {(grown) =>
        grown.length === 0 ? (
          <p className="quiet-text">There are none.</p>
        ) : (
          <ul className="lines">
            {grown.map(({ name, what, now, growth }) => (
              <li key={`${what} ${name}`}>
                <Link className="link" href={tracesOf(name, what, today)}>
                  {what === 'slower' ? duration(now * 1000) : costOf(now, 0)}
                </Link>{' '}
                <bdi>{name}</bdi>
                <span className="quiet-text">{`, ${what}: ${changeOf(growth, 1)!}`}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
}

function tracesOf(name: string, what: 'slower' | 'dearer', { origin, env }: Seen): string {
  const sort = what === 'slower' ? 'trace_duration_ms' : 'trace_total_cost_usd';
  const f = writeCondition({ field: 'trace_name', key: '', operator: 'is', value: name });
  return withScope(`/traces?${new URLSearchParams({ f, days: '1', sort })}`, { origin, env });
}

/** Models without a price: every sum lacks the cost of their calls. Failed calls may have no tokens. */
export function Unpriced({ range }: { range: Seen }) {
  const counts = useCounts(range, 'unpriced');
  return (
    <Part title="Models without a price" query={counts}>
      {(groups) =>
        groups.length === 0 ? (
          <p className="quiet-text">There are no requests without a price.</p>
        ) : (
          <Counts
            groups={groups}
            hrefOf={(name) =>
              logsOf(range, { conditions: ['cost is_null', 'status is_not ERROR', `engine is ${name}`] })
            }
            actionOf={(name) => (
              <Link className="link" href={`/settings/prices?${new URLSearchParams({ model: name })}`}>
                Set a price
              </Link>
            )}
          />
        )
      }
    </Part>
  );
}

/** Rejected spans and requests, with links to details. */
export function Refused() {
  return (
    <Part title="Rejected at ingestion" query={useRefused()}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="quiet-text">Nothing was rejected.</p>
        ) : (
          <>
            <ul className="lines">
              {data.map(({ what, reason, count: total, last_at }) => (
                <li key={`${what} ${reason}`}>
                  <span className="bad">{`${count(total)} ${what}${total === 1 ? '' : 's'}: `}</span>
                  {reason}
                  <span className="quiet-text">
                    {', last at '}
                    <Moment at={last_at} />
                  </span>
                </li>
              ))}
            </ul>
            <p className="quiet-text">
              The sender got the reason in the response. The ingestion receipt lists the rejected spans; its id is in
              the header <code>x-ingest-receipt</code> of the answer names.
            </p>
          </>
        )
      }
    </Part>
  );
}

/** Work of the server in progress. */
export function Running() {
  const running = useRunning();
  return (
    <Part title="Running" query={running}>
      {({ exports, runs, operations, imports }) =>
        exports.length + runs.length + operations.length + imports.length === 0 ? (
          <p className="quiet-text">Nothing is running.</p>
        ) : (
          <ul className="lines">
            {runs.map(({ id, name, parent_report_id }) => (
              <li key={id}>
                Evaluation{' '}
                <Link className="link" href={`/evaluations/${parent_report_id ?? id}?run=${id}`}>
                  <bdi>{name}</bdi>
                </Link>
              </li>
            ))}
            {operations.map((item) => (
              <li key={item.operation_id}>
                <SheetPlace {...item} />: <OperationState item={item} />
              </li>
            ))}
            {imports.map((item) => (
              <li key={item.operation_id}>
                Import into <SheetPlace {...item} />: <ImportState item={item} />
              </li>
            ))}
            {exports.map(({ id, source, progress }) => (
              <li key={id}>
                <Link className="link" href="/settings/exports">
                  Export of {source}
                </Link>
                {`, ${Math.round(progress)} %`}
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
}
