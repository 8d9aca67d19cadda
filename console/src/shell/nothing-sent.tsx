import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyButton, Note } from '../ui/parts';
import { useScope } from './scope';
import { useMe } from './session-context';

interface Props {
  /** The missing items, in the plural. */
  what: string;
  /** Since when there are none, if there were some before. */
  when?: string;
  /** A sentence about the data that become a line of the list. */
  line: string;
  /** Other ways to send some. */
  children?: ReactNode;
  onRefresh: () => void;
}

/** Replaces an empty list of application data until the first items arrive. */
export function NothingSent({ what, when = 'yet', line, children, onRefresh }: Props) {
  const { workspace } = useMe();
  const [{ origin }, setScope] = useScope();
  const url = `${window.location.origin}/v1/traces`;
  return (
    <Note title={`${workspace.name} has no ${what} ${when}`}>
      <p>{line} Point an OpenTelemetry exporter (OTLP over HTTP) to</p>
      <pre className="box">{url}</pre>
      <p>
        and send an{' '}
        <Link className="link" href="/settings/keys">
          API key
        </Link>{' '}
        in the header <code>X-API-KEY</code>
        {children}.
      </p>
      <div className="actions">
        <CopyButton text={url} label="Copy the URL" />
        <button className="button" onClick={onRefresh}>
          Check again
        </button>
        {origin !== 'all' && (
          <button className="button" onClick={() => setScope({ origin: 'all' })}>
            Include the server’s own calls
          </button>
        )}
      </div>
    </Note>
  );
}
