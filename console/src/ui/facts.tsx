import type { ReactNode } from 'react';
import { UNKNOWN } from './format';
import { CopyButton } from './parts';

export type Fact = [name: string, value: ReactNode];

/** Short facts beside each other. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Values by name, which may be long, below a title that folds them. */
export function Section(props: { title: string; hint?: string; values: object; open?: boolean }) {
  const { title, hint, values, open = false } = props;
  const entries = Object.entries(values);
  return (
    <details className="section" open={open && entries.length > 0}>
      <summary>
        {title} <span className="quiet-text">{hint ?? entries.length}</span>
      </summary>
      {entries.length === 0 && <p className="quiet-text">{UNKNOWN}</p>}
      <dl>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt className="mono">{name}</dt>
            <dd>
              <pre dir="auto" className="text">
                {textOf(value)}
              </pre>
            </dd>
          </div>
        ))}
      </dl>
      {entries.length > 0 && <CopyButton text={JSON.stringify(values, null, 2)} label="Copy as JSON" />}
    </details>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
