import './prompts.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { RawPromptResponse } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { Back, Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { Content, Difference } from './content';
import { EditVersion } from './edit-version';
import { PromptLabels } from './labels';
import { withScope } from '../shell/scope';
import { callsOf, playgroundOf } from './links';
import { OpenChanges } from '../versions/open-changes';
import { compareOptions } from '../versions/version-table';
import { TryPrompt } from './try-prompt';
import { type ListedVersion, Versions } from './versions';

const DEFAULTS = { v: '', against: '', origin: '' };

/** A version as it was published, with its snippets resolved. */
function useVersion(id: string, version: string | null) {
  return useQuery({
    queryKey: ['prompt', id, version],
    queryFn: ({ signal }) =>
      api('GET /prompt-templates/{identifier}', {
        path: { identifier: id },
        query: { ...(version && { version: Number(version) }), resolve_snippets: false },
        signal,
      }),
    enabled: version !== null,
  });
}

/** One prompt: its versions with the totals of their calls, and below them the content of the chosen one. */
export default function Prompt({ id }: { id: string }) {
  const [state, set] = useUrlState(DEFAULTS);
  const origin = state.origin === 'all' ? undefined : ('application' as const);
  const list = useCursorList(['prompt-versions', id, origin], (cursor, signal) =>
    api('GET /prompt-templates/{identifier}/versions', { path: { identifier: id }, query: { cursor, origin }, signal }),
  );
  const shown = useVersion(id, state.v);
  const prompt = shown.data;
  const name = prompt?.prompt_name ?? `Prompt ${id}`;
  useTitle(name);
  const error = list.error ?? shown.error;
  return (
    <>
      <header className="screen-head">
        <Back href="/prompts" title="All prompts" />
        <h1 dir="auto" className="ellipsis" title={name}>
          {name}
        </h1>
        {prompt && (
          <Link className="button" href={withScope(callsOf(name), { origin: state.origin, env: '' })}>
            All its requests
          </Link>
        )}
      </header>
      <Waiting on={list.isFetching || shown.isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void Promise.all([list.refetch(), shown.refetch()])} />}
        {list.items.length > 0 && (
          <Versions
            list={list}
            name={name}
            shown={prompt?.version}
            origin={state.origin}
            onOrigin={(chosen) => set({ origin: chosen })}
            onShow={(v) => set({ v: String(v), against: '' })}
          />
        )}
        {prompt && <OpenChanges kind="prompt" id={String(prompt.id)} />}
        {prompt && (
          <Version
            prompt={prompt}
            versions={list.items}
            against={state.against}
            onAgainst={(against) => set({ against })}
            onPublished={() => set({ v: '', against: '' })}
          />
        )}
      </div>
    </>
  );
}

interface VersionProps {
  prompt: RawPromptResponse;
  versions: ListedVersion[];
  /** The number of the version to compare with; empty for none. */
  against: string;
  onAgainst: (version: string) => void;
  onPublished: () => void;
}

function Version({ prompt, versions, against, onAgainst, onPublished }: VersionProps) {
  const [open, setOpen] = useState<'edit' | 'label' | 'try' | null>(null);
  const close = () => setOpen(null);
  const other = useVersion(String(prompt.id), against || null);
  const options = compareOptions(
    versions.map(({ version }) => version),
    prompt.version,
  );
  return (
    <section className="version">
      <header>
        <h2>Version {prompt.version}</h2>
        <Choice label="Compare with" options={options} value={against} onChange={onAgainst} />
        <button className="button" onClick={() => setOpen('try')}>
          Try
        </button>
        <Link className="button" href={playgroundOf(prompt)}>
          Open in the playground
        </Link>
        <GuardedButton permission="PROMPT_EDIT" onClick={() => setOpen('edit')}>
          Edit as a new version
        </GuardedButton>
        <GuardedButton permission="PROMPT_DEPLOY" onClick={() => setOpen('label')}>
          Labels
        </GuardedButton>
      </header>
      {prompt.commit_message && <p dir="auto">{prompt.commit_message}</p>}
      {other.error && <Failure error={other.error} onRetry={() => void other.refetch()} />}
      {other.data ? <Difference before={other.data} after={prompt} /> : <Content prompt={prompt} />}
      {open === 'edit' && <EditVersion prompt={prompt} onClose={close} onPublished={onPublished} />}
      {open === 'label' && <PromptLabels prompt={prompt} onClose={close} />}
      {open === 'try' && <TryPrompt prompt={prompt} onClose={close} />}
    </section>
  );
}
