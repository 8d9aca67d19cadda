import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { AlertBody, MonitorBody, PreviewMonitorRequest } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { FormDialog } from '../ui/form';
import { Moment } from '../ui/moment';
import { Failure, Waiting } from '../ui/parts';
import { More, Table } from '../ui/table';
import { describeMonitor, expectedOf, figureOf, nameOfTest, WINDOWS } from './monitor-words';
import { Items, Preview } from './preview';

interface Props {
  monitor: MonitorBody;
  onEdit: () => void;
  onDeleted: () => void;
}

/** A monitor with its last evaluation, its alerts and the last 14 days. */
export function MonitorDetail({ monitor, onEdit, onDeleted }: Props) {
  const client = useQueryClient();
  const [isDeleting, setDeleting] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const path = { monitor_id: monitor.id };
  const refresh = () => client.invalidateQueries({ queryKey: ['monitors'] });
  const isPaused = monitor.state === 'paused';
  const toggle = () =>
    void api('PATCH /api/public/v2/monitors/{monitor_id}', { path, body: { state: isPaused ? 'active' : 'paused' } })
      .then(refresh)
      .catch(setError);
  const remove = async () => {
    await api('DELETE /api/public/v2/monitors/{monitor_id}', { path });
    void refresh();
  };
  const body = useMemo(() => fieldsOf(monitor), [monitor]);
  return (
    <>
      <p>
        {describeMonitor(monitor)} · {WINDOWS[String(monitor.window_minutes)] ?? `${monitor.window_minutes} minutes`}
      </p>
      {monitor.alpha !== null && (
        <p className="quiet-text">
          {`Against the same hours of ${monitor.weeks} weeks, with ${monitor.false_alarms_per_week} false alarms a week (level ${monitor.alpha.toPrecision(2)}).`}
        </p>
      )}
      {monitor.problem && <p className="bad">{monitor.problem}</p>}
      {error && <Failure error={error} />}
      <p className="monitor-actions">
        <GuardedButton permission="METADATA_EDIT" onClick={onEdit}>
          Edit the monitor
        </GuardedButton>
        <GuardedButton permission="METADATA_EDIT" onClick={toggle}>
          {isPaused ? 'Resume the monitor' : 'Pause the monitor'}
        </GuardedButton>
        <GuardedButton permission="METADATA_EDIT" className="button quiet bad" onClick={() => setDeleting(true)}>
          Delete the monitor
        </GuardedButton>
      </p>
      {monitor.open_alerts > 0 && <p className="quiet-text">Pausing or deleting it closes its open alerts.</p>}
      <Latest monitor={monitor} />
      <Alerts monitor={monitor} />
      <Preview body={body} />
      {isDeleting && (
        <FormDialog
          title="Delete this monitor?"
          submit="Delete the monitor"
          isDangerous
          onSubmit={remove}
          onDone={onDeleted}
          onClose={() => setDeleting(false)}
        >
          <p>Its alerts are deleted, too. Open ones are closed first.</p>
        </FormDialog>
      )}
    </>
  );
}

const FIELDS = [
  'source',
  'measure',
  'percentile',
  'score',
  'filter_group',
  'q',
  'origin',
  'by',
  'window_minutes',
  'rule',
  'op',
  'limit',
  'direction',
  'weeks',
  'false_alarms_per_week',
  'least_change',
  'least_items',
  'no_data',
  'closes_after_minutes',
] as const;

const fieldsOf = (monitor: MonitorBody): PreviewMonitorRequest =>
  Object.fromEntries(FIELDS.map((field) => [field, monitor[field]])) as unknown as PreviewMonitorRequest;

function Latest({ monitor }: { monitor: MonitorBody }) {
  const { measure, latest } = monitor;
  if (latest.length === 0) return <p className="quiet-text">It has not been evaluated yet.</p>;
  return (
    <Table
      label="Last evaluation"
      rows={latest}
      keyOf={({ group }) => group ?? ''}
      columns={[
        ...(monitor.by === null ? [] : [{ name: monitor.by, cell: (row: (typeof latest)[number]) => row.group }]),
        { name: 'Now', className: 'number', cell: ({ figure }) => figureOf(measure, figure) },
        { name: 'Expected', className: 'number', cell: (row) => expectedOf(measure, row) },
        { name: 'State', cell: ({ open, verdict }) => (open ? <strong className="bad">open</strong> : WORDS[verdict]) },
        { name: 'Items', cell: (row) => <Items alert={row} /> },
      ]}
    />
  );
}

const WORDS: Record<MonitorBody['latest'][number]['verdict'], string> = {
  breach: 'open',
  fine: 'quiet',
  few: 'too few items',
  no_data: 'no items',
  learning: 'learning',
};

const CLOSINGS: Record<NonNullable<AlertBody['closing']>, string> = {
  recovered: 'over',
  no_data: 'no items any more',
  paused: 'paused',
  changed: 'monitor changed',
  deleted: 'monitor deleted',
};

function Alerts({ monitor }: { monitor: MonitorBody }) {
  const path = { monitor_id: monitor.id };
  const list = useCursorList(
    ['monitors', 'alerts', monitor.id],
    (cursor, signal) => api('GET /api/public/v2/monitors/{monitor_id}/alerts', { path, query: { cursor }, signal }),
    { fed: true },
  );
  return (
    <section>
      <h3>Alerts</h3>
      <Waiting on={list.isFetching} />
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && list.items.length === 0 && <p className="quiet-text">There have been none.</p>}
      {list.items.length > 0 && (
        <>
          <Table
            label="Alerts"
            rows={list.items}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Opened', cell: ({ opened_at: at }) => <Moment at={at} /> },
              {
                name: 'Closed',
                cell: ({ closed_at: at, closing }) =>
                  at === null ? (
                    <strong className="bad">open</strong>
                  ) : (
                    <>
                      <Moment at={at} /> {CLOSINGS[closing!]}
                    </>
                  ),
              },
              ...(monitor.by === null ? [] : [{ name: 'Group', cell: ({ group }: AlertBody) => group }]),
              {
                name: 'Figure',
                className: 'number',
                cell: (alert) => figureOf(monitor.measure, alert.opened_by.figure),
              },
              { name: 'Expected', className: 'number', cell: (alert) => expectedOf(monitor.measure, alert.opened_by) },
              { name: 'Test', cell: (alert) => nameOfTest(alert.opened_by.test) },
              { name: 'Items', cell: (alert) => <Items alert={alert.opened_by} /> },
            ]}
          />
          <More list={list} />
        </>
      )}
    </section>
  );
}
