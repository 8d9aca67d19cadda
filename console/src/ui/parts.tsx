import { type ReactNode, useState } from 'react';
import { ApiError } from '../api/client';

/** The line under a header that moves while something is on its way. What was there stays. */
export function Waiting({ on }: { on: boolean }) {
  return <div className={on ? 'waiting on' : 'waiting'} aria-hidden="true" />;
}

/** Stands where data would be. */
export function Note({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className="note">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** What went wrong, where the data would be: the server's sentence, and what to quote. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <div role="alert">
      <Note title={titleOf(known)}>
        <p>{error.message}</p>
        {known && (
          <p className="quiet-text">
            <code>{known.code}</code>
            {known.requestId && (
              <>
                {' · request '}
                <code>{known.requestId}</code>
              </>
            )}
          </p>
        )}
        {onRetry && known?.status !== 403 && known?.status !== 404 && (
          <div className="actions">
            <button className="button" onClick={onRetry}>
              Try again
            </button>
          </div>
        )}
      </Note>
    </div>
  );
}

function titleOf(error: ApiError | null): string {
  if (error?.status === 403) return 'Your key may not see this';
  if (error?.status === 404) return 'This is not here';
  if (error?.status === 429 || error?.status === 503) return 'The server is busy';
  return 'This could not be loaded';
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <button className="button" onClick={() => void copy()} onBlur={() => setCopied(false)}>
      {copied ? 'Copied' : label}
    </button>
  );
}
