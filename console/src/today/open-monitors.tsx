import { Link } from 'wouter';
import { figureOf } from '../monitors/monitor-words';
import { useMonitors } from '../monitors/use-monitors';
import { Moment } from '../ui/moment';
import { Failure } from '../ui/parts';

/** Monitors with an open alert. Nothing where there are no monitors. */
export function OpenMonitors() {
  const { data, error, refetch } = useMonitors();
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  const open = data?.filter(({ status }) => status === 'open') ?? [];
  if (!data || data.length === 0) return null;
  return (
    <section>
      <h2>Open monitors</h2>
      {open.length === 0 ? (
        <p className="quiet-text">All monitors are quiet.</p>
      ) : (
        <ul className="lines">
          {open.map((monitor) => (
            <li key={monitor.id}>
              <Link className="link" href={`/monitors?id=${monitor.id}`}>
                <bdi>{monitor.name}</bdi>
              </Link>{' '}
              {figureOf(monitor.measure, monitor.latest[0]?.figure ?? null)}{' '}
              <span className="quiet-text">
                open since <Moment at={monitor.open_since!} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
