import './playground.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { PromptTemplate } from '../api/schema.gen';
import { identityOf } from '../api/session';
import { promptPath } from '../prompts/links';
import { useMay, Needs } from '../shell/permissions';
import { useMe } from '../shell/session-context';
import { useKeys } from '../ui/keys';
import { Failure, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { Cases } from './cases';
import { type Draft, emptyDraft, type Filled, filledDraft, keepDraft, MOST_VARIANTS, readDraft } from './draft';
import { type Ask, useTrials } from './use-trials';
import { emptyVariant, fromCall, fromVersion, toTrial, variablesOf, type Variant } from './variant';
import { VariantColumn } from './variant-column';

const DEFAULTS = { request: '', prompt: '', version: '' };

interface Source {
  variant: Variant;
  from: Filled;
}

/** What the URL says to fill the variants from; null for nothing. */
function useSource({ request, prompt, version }: typeof DEFAULTS) {
  return useQuery({
    queryKey: ['playground-source', request, prompt, version],
    queryFn: ({ signal }) => (request ? readRequest(Number(request), signal) : readVersion(prompt, version, signal)),
    enabled: request !== '' || prompt !== '',
    // A draft is not filled again while somebody writes.
    staleTime: Infinity,
  });
}

async function readRequest(id: number, signal: AbortSignal): Promise<Source> {
  const log = await api('GET /api/public/v2/requests/{request_id}', { path: { request_id: id }, signal });
  const { prompt_template: template, metadata } = log.prompt_blueprint as unknown as {
    prompt_template: PromptTemplate;
    metadata: { model: Parameters<typeof fromCall>[1] };
  };
  const query = new URLSearchParams({ f: `pl_id is ${id}`, id: String(id) });
  const from = { key: `request ${id}`, title: `request ${id}`, href: `/logs?${query.toString()}` };
  return { variant: fromCall(template, metadata.model), from };
}

async function readVersion(identifier: string, version: string, signal: AbortSignal): Promise<Source> {
  const query = version === '' ? {} : { version: Number(version) };
  const read = await api('GET /prompt-templates/{identifier}', { path: { identifier }, query, signal });
  const from = {
    key: `prompt ${read.id} ${read.version}`,
    title: `${read.prompt_name} v${read.version}`,
    href: `${promptPath(read.id)}?v=${read.version}`,
  };
  return { variant: fromVersion(read, read.metadata?.model ?? null), from };
}

/** The draft of this tab. Filling it from something else keeps the one before, so that nothing typed is lost. */
function useDraft(source: Source | undefined) {
  const key = `playground ${identityOf(useMe())}`;
  const [draft, setDraft] = useState<Draft>(() => readDraft(key) ?? emptyDraft());
  const [earlier, setEarlier] = useState<Draft | null>(() => readDraft(`${key} earlier`));
  useEffect(() => keepDraft(key, draft), [key, draft]);
  const replace = (next: Draft) => {
    keepDraft(`${key} earlier`, draft);
    setEarlier(draft);
    setDraft(next);
  };
  useEffect(() => {
    if (source && source.from.key !== draft.from?.key) replace(filledDraft(source.variant, source.from));
    // oxlint-disable-next-line exhaustive-deps -- only another source fills the draft
  }, [source]);
  return { draft, setDraft, earlier, replace };
}

/** Variants of a prompt beside each other, and what models answer to cases. */
export default function Playground() {
  useTitle('Playground');
  const [state, setUrl] = useUrlState(DEFAULTS);
  const source = useSource(state);
  const { draft, setDraft, earlier, replace } = useDraft(source.data);
  const { answers, isRunning, run, stop, clear } = useTrials();
  const may = useMay('TABLE_EDIT');
  const columns = useRef<HTMLDivElement>(null);
  const { variants, cases } = draft;
  const variables = variablesOf(variants);
  const start = (next: Draft) => {
    stop();
    clear();
    setUrl(DEFAULTS, { replace: true });
    replace(next);
  };
  const runAll = () => {
    if (!may || document.querySelector('dialog[open]')) return;
    void run(cases.flatMap((_, row) => variants.map((__, column) => askOf(draft, variables, row, column))));
  };
  const goTo = (column: number) =>
    columns.current
      ?.querySelectorAll<HTMLElement>('.variant')
      [column]?.querySelector<HTMLElement>('.message textarea')
      ?.focus();
  useKeys({
    'ctrl+enter': runAll,
    Escape: () => isRunning && stop(),
    ...Object.fromEntries([0, 1, 2, 3].map((column) => [`alt+${column + 1}`, () => goTo(column)])),
  });
  const change = (column: number, variant: Variant) => setDraft({ ...draft, variants: variants.with(column, variant) });
  return (
    <>
      <header className="screen-head">
        <h1>Playground</h1>
        {draft.from && (
          <p className="quiet-text">
            from{' '}
            <Link className="link" href={draft.from.href}>
              {draft.from.title}
            </Link>
          </p>
        )}
        <div className="actions">
          {earlier && (
            <button className="button" onClick={() => start(earlier)}>
              Restore the earlier draft
            </button>
          )}
          <button className="button" onClick={() => start(emptyDraft())}>
            Start over
          </button>
          {variants.length < MOST_VARIANTS && (
            <button
              className="button"
              onClick={() => setDraft({ ...draft, variants: [...variants, variants.at(-1) ?? emptyVariant()] })}
            >
              Add a variant
            </button>
          )}
          {isRunning ? (
            <button className="button primary" onClick={stop}>
              Stop <kbd>Esc</kbd>
            </button>
          ) : (
            <button className="button primary" disabled={!may} onClick={runAll}>
              Run {cases.length} × {variants.length} <kbd>Ctrl ↵</kbd>
            </button>
          )}
        </div>
      </header>
      <Waiting on={source.isFetching || isRunning} />
      <div className="screen-body playground" ref={columns}>
        <Needs permission="TABLE_EDIT" to="ask models" />
        {source.error && <Failure error={source.error} onRetry={() => void source.refetch()} />}
        <div className="variants">
          {variants.map((variant, column) => (
            <VariantColumn
              // Variants have no names, and keep their order.
              key={column}
              letter={letterOf(column)}
              variant={variant}
              first={column === 0 ? null : variants[0]!}
              onChange={(changed) => change(column, changed)}
              onCopy={
                variants.length < MOST_VARIANTS ? () => setDraft({ ...draft, variants: [...variants, variant] }) : null
              }
              onRemove={
                variants.length > 1
                  ? () => {
                      stop();
                      clear();
                      setDraft({ ...draft, variants: variants.toSpliced(column, 1) });
                    }
                  : null
              }
            />
          ))}
        </div>
        <Cases
          cases={cases}
          variables={variables}
          letters={variants.map((_, column) => letterOf(column))}
          answers={answers}
          onChange={(changed) => setDraft({ ...draft, cases: changed })}
          onRemoved={() => {
            stop();
            clear();
          }}
        />
      </div>
    </>
  );
}

const letterOf = (column: number): string => 'ABCD'[column]!;

function askOf({ variants, cases }: Draft, variables: string[], row: number, column: number): Ask {
  const values = Object.fromEntries(variables.map((name) => [name, cases[row]![name] ?? '']));
  return { key: keyOf(row, column), body: () => toTrial(variants[column]!, values) };
}

const keyOf = (row: number, column: number): string => `${row} ${column}`;
