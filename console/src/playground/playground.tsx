import './playground.css';
import { type RefObject, useRef } from 'react';
import { Link } from 'wouter';
import { Needs, useMay } from '../shell/permissions';
import { type Keys, useKeys } from '../ui/keys';
import { Failure, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { Cases } from './cases';
import { type Case, type Draft, emptyDraft, type Filled, letterOf, MOST_VARIANTS } from './draft';
import { OpenAsSheet } from './open-as-sheet';
import { withCases } from './rows';
import { SOURCE, useDraft, useSource } from './use-draft';
import { type Ask, useTrials } from './use-trials';
import { toTrial, type Variant, variablesOf } from './variant';
import { VariantColumn } from './variant-column';

/** Variants of a prompt side by side, with the answers of models to cases. */
export default function Playground() {
  useTitle('Playground');
  const [state, setUrl] = useUrlState(SOURCE);
  const source = useSource(state);
  const { draft, setDraft, earlier, replace } = useDraft(source.data);
  const { answers, isRunning, run, stop, clear } = useTrials();
  const may = useMay('TABLE_EDIT');
  const columns = useRef<HTMLDivElement>(null);
  const { variants, cases } = draft;
  const variables = variablesOf(variants);
  const reset = () => {
    stop();
    clear();
  };
  const start = (next: Draft) => {
    reset();
    setUrl(SOURCE, { replace: true });
    replace(next);
  };
  const changeVariants = (changed: Variant[]) => {
    // Answers belong to columns, which have moved.
    if (changed.length < variants.length) reset();
    setDraft({ ...draft, variants: changed });
  };
  const fill = (filled: Case[], from: Filled) => {
    reset();
    setDraft(withCases(draft, filled, from));
  };
  const runAll = () => {
    if (!may || document.querySelector('dialog[open]')) return;
    void run(cases.flatMap((_, row) => variants.map((__, column) => askOf(draft, variables, row, column))));
  };
  useVariantKeys(columns);
  useKeys({ 'ctrl+enter': runAll, Escape: () => isRunning && stop() });
  return (
    <>
      <Head
        {...{ draft, earlier, isRunning }}
        onStart={start}
        onAdd={() => setDraft({ ...draft, variants: [...variants, variants.at(-1)!] })}
        onRun={runAll}
        onStop={stop}
      />
      <Waiting on={source.isFetching || isRunning} />
      <div className="screen-body playground" ref={columns}>
        <Needs permission="TABLE_EDIT" to="ask models" />
        {source.error && <Failure error={source.error} onRetry={() => void source.refetch()} />}
        <Variants variants={variants} onChange={changeVariants} />
        <Cases
          cases={cases}
          variables={variables}
          letters={variants.map((_, column) => letterOf(column))}
          answers={answers}
          onChange={(changed) => setDraft({ ...draft, cases: changed })}
          onRemoved={reset}
          onFill={fill}
        />
      </div>
    </>
  );
}

/** Alt and a number lead to the first message of a variant. */
function useVariantKeys(columns: RefObject<HTMLElement | null>): void {
  const goTo = (column: number) => {
    const variant = columns.current?.querySelectorAll('.variant')[column];
    variant?.querySelector<HTMLElement>('.message-field textarea')?.focus();
  };
  const keys = Array.from({ length: MOST_VARIANTS }, (_, column) => [`alt+${column + 1}`, () => goTo(column)]);
  useKeys(Object.fromEntries(keys) as Keys);
}

interface HeadProps {
  draft: Draft;
  earlier: Draft | null;
  isRunning: boolean;
  onStart: (draft: Draft) => void;
  onAdd: () => void;
  onRun: () => void;
  onStop: () => void;
}

function Head({ draft, earlier, isRunning, onStart, onAdd, onRun, onStop }: HeadProps) {
  const may = useMay('TABLE_EDIT');
  const { from, rows, cases, variants } = draft;
  return (
    <header className="screen-head">
      <h1>Playground</h1>
      {from && <From what="from" source={from} />}
      {rows && <From what="cases from" source={rows} />}
      <div className="actions">
        {earlier && (
          <button className="button" onClick={() => onStart(earlier)}>
            Restore the earlier draft
          </button>
        )}
        <button className="button" onClick={() => onStart(emptyDraft())}>
          Start over
        </button>
        {variants.length < MOST_VARIANTS && (
          <button className="button" onClick={onAdd}>
            Add a variant
          </button>
        )}
        <OpenAsSheet draft={draft} />
        {isRunning ? (
          <button className="button primary" onClick={onStop}>
            Stop <kbd>Esc</kbd>
          </button>
        ) : (
          <button className="button primary" disabled={!may} onClick={onRun}>
            Run {cases.length} × {variants.length} <kbd>Ctrl ↵</kbd>
          </button>
        )}
      </div>
    </header>
  );
}

function From({ what, source: { href, title } }: { what: string; source: Filled }) {
  return (
    <p className="quiet-text">
      {what}{' '}
      <Link className="link" href={href}>
        {title}
      </Link>
    </p>
  );
}

function Variants({ variants, onChange }: { variants: Variant[]; onChange: (variants: Variant[]) => void }) {
  const hasRoom = variants.length < MOST_VARIANTS;
  return (
    <div className="variants">
      {variants.map((variant, column) => (
        <VariantColumn
          // Variants have no names, and keep their order.
          key={column}
          letter={letterOf(column)}
          variant={variant}
          first={column === 0 ? null : variants[0]!}
          onChange={(changed) => onChange(variants.with(column, changed))}
          onCopy={hasRoom ? () => onChange([...variants, variant]) : null}
          onRemove={variants.length > 1 ? () => onChange(variants.toSpliced(column, 1)) : null}
        />
      ))}
    </div>
  );
}

function askOf({ variants, cases }: Draft, variables: string[], row: number, column: number): Ask {
  const values = Object.fromEntries(variables.map((name) => [name, cases[row]![name] ?? '']));
  return { key: keyOf(row, column), body: () => toTrial(variants[column]!, values) };
}

const keyOf = (row: number, column: number): string => `${row} ${column}`;
