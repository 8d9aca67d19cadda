import './monitors.css';
import type { MonitorBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { counted } from '../ui/format';
import { Moment } from '../ui/moment';
import { Panel } from '../ui/panel';
import { Failure, Note, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { useTitle } from '../ui/title';
import { mayLeave } from '../ui/unsaved';
import { useUrlState } from '../ui/url-state';
import { BandChart } from './band-chart';
import { MonitorDetail } from './monitor-detail';
import { MonitorForm } from './monitor-form';
import { describeMonitor, expectedOf, figureOf } from './monitor-words';
import { useMonitors } from './use-monitors';

/** `id` is the monitor in the panel, or `new`; `edit` is 1 while its form is shown. */
const DEFAULTS = { id: '', edit: '' };

/** Monitors with their figures of now and their open alerts. */
export default function Monitors() {
  useTitle('Monitors');
  const [{ id, edit }, set] = useUrlState(DEFAULTS);
  const { data, error, isFetching, refetch } = useMonitors();
  const chosen = data?.find((monitor) => monitor.id === id);
  const show = (next: string, isEdited = false) => set({ id: next, edit: isEdited ? '1' : '' });
  const leaveFor = (next: string) => void mayLeave().then((may) => may && show(next));
  const close = () => leaveFor('');
  return (
    <>
      <header className="screen-head">
        <h1>Monitors</h1>
        {data && <Summary monitors={data} />}
        <span className="spacer" />
        <GuardedButton permission="METADATA_EDIT" className="button primary" onClick={() => leaveFor('new')}>
          New monitor
        </GuardedButton>
      </header>
      <Waiting on={isFetching} />
      <div className="split">
        <div className="screen-body">
          {error && <Failure error={error} onRetry={() => void refetch()} />}
          {data?.length === 0 && (
            <Note title="There are no monitors yet">
              <p>A monitor opens an alert when failures, latency, cost or scores are not as they should be.</p>
            </Note>
          )}
          {data && data.length > 0 && (
            <div className="page-list">
              <List monitors={data} chosen={id} onChoose={leaveFor} />
            </div>
          )}
        </div>
        {id === 'new' && (
          <Panel label="Monitor" title="New monitor" onClose={close}>
            <MonitorForm monitor={null} onDone={(created) => show(created)} onClose={close} />
          </Panel>
        )}
        {chosen && (
          <Panel label="Monitor" title={chosen.name} onClose={close} key={chosen.id}>
            {edit === '' ? (
              <MonitorDetail monitor={chosen} onEdit={() => show(id, true)} onDeleted={close} />
            ) : (
              <MonitorForm monitor={chosen} onDone={(saved) => show(saved)} onClose={() => leaveFor(id)} />
            )}
          </Panel>
        )}
      </div>
    </>
  );
}

function Summary({ monitors }: { monitors: MonitorBody[] }) {
  const open = monitors.filter(({ status }) => status === 'open').length;
  if (monitors.length === 0) return null;
  return <span className="quiet-text">{`${open} open, ${counted(monitors.length, 'monitor')}`}</span>;
}

interface ListProps {
  monitors: MonitorBody[];
  chosen: string;
  onChoose: (id: string) => void;
}

function List({ monitors, chosen, onChoose }: ListProps) {
  return (
    <Table
      label="Monitors"
      rows={monitors}
      keyOf={({ id }) => id}
      classOf={({ id }) => (id === chosen ? 'chosen' : undefined)}
      columns={[
        {
          name: 'Monitor',
          cell: (monitor) => (
            <>
              <button className="link monitor-link" onClick={() => onChoose(monitor.id)}>
                {monitor.name}
              </button>
              <div className="quiet-text">{describeMonitor(monitor)}</div>
            </>
          ),
        },
        { name: 'Last 24 h', className: 'monitor-spark', cell: (monitor) => <Spark monitor={monitor} /> },
        {
          name: 'Now',
          className: 'number',
          cell: ({ measure, latest }) => figureOf(measure, latest[0]?.figure ?? null),
        },
        {
          name: 'Expected',
          className: 'number',
          cell: ({ measure, latest }) => (latest[0] ? expectedOf(measure, latest[0]) : '–'),
        },
        { name: 'State', cell: (monitor) => <State monitor={monitor} /> },
      ]}
    />
  );
}

function Spark({ monitor: { name, recent } }: { monitor: MonitorBody }) {
  const points = recent.map(({ at, figure }) => ({ at, figure, low: null, high: null }));
  return points.length < 2 ? null : <BandChart label={`${name}, last 24 hours`} points={points} open={[]} />;
}

function State({ monitor: { status, open_since: since, problem } }: { monitor: MonitorBody }) {
  if (status === 'open') {
    return (
      <>
        <strong className="bad">open</strong> since <Moment at={since!} />
      </>
    );
  }
  return problem === null ? status : `${status}, with a problem`;
}
