import { useMe } from '../shell/session-context';
import { CopyButton, Note } from '../ui/parts';
import { describeFilters, type LogState } from './log-state';

/** Stands where the list would be, and says why it is empty. */
export function Nothing(props: { state: LogState; onClear: () => void; onRefresh: () => void }) {
  const { state, onClear, onRefresh } = props;
  const filters = describeFilters(state);
  if (filters.length === 0) return <NoLogs onRefresh={onRefresh} />;
  return (
    <Note title="No request is like that">
      <p>The list shows only requests with {filters.join(', ')}.</p>
      <div className="actions">
        <button className="button" onClick={onClear}>
          Show all requests
        </button>
      </div>
    </Note>
  );
}

function NoLogs({ onRefresh }: { onRefresh: () => void }) {
  const { workspace } = useMe();
  const url = `${window.location.origin}/v1/traces`;
  return (
    <Note title={`${workspace.name} has no requests yet`}>
      <p>Every call of a model becomes a line here. Point an OpenTelemetry exporter (OTLP over HTTP) to</p>
      <pre>{url}</pre>
      <p>
        and send an API key in the header <code>X-API-KEY</code>, or log calls with <code>POST /log-request</code>.
      </p>
      <div className="actions">
        <CopyButton text={url} label="Copy the URL" />
        <button className="button" onClick={onRefresh}>
          Look again
        </button>
      </div>
    </Note>
  );
}
