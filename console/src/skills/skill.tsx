import './skills.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { SkillFilesResponse, SkillVersionBody } from '../api/schema.gen';
import { LongText } from '../reading/long-text';
import { GuardedButton } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { count } from '../ui/format';
import { Moment } from '../ui/moment';
import { Back, Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { OpenChanges } from '../versions/open-changes';
import { compareOptions, VersionTable } from '../versions/version-table';
import { FileChanges } from './file-changes';
import { type SkillAction, SkillDialog } from './skill-dialogs';

const DEFAULTS = { v: '', against: '', file: '' };

type State = typeof DEFAULTS;
type SetState = (change: Partial<State>) => void;

/** The files of a version; null for no version. */
function useFiles(id: string, version: string | null) {
  return useQuery({
    queryKey: ['skill', id, version],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/skill-collections/{skill_collection}', {
        path: { skill_collection: id },
        query: version ? { version: Number(version) } : {},
        signal,
      }) as Promise<SkillFilesResponse>,
    enabled: version !== null,
    placeholderData: keepPreviousData,
  });
}

function useVersions(id: string) {
  const here = useHere();
  return useQuery({
    queryKey: ['skill-versions', id],
    queryFn: ({ signal }) =>
      api(`GET ${WORKSPACE}/skill-collections/{skill_collection_id}/versions`, {
        path: { ...here, skill_collection_id: id },
        signal,
      }),
  });
}

/** The version that is shown, the one that it is compared with, and the list of all. */
function useShown(id: string, { v, against }: State) {
  const queries = [useVersions(id), useFiles(id, v), useFiles(id, against || null)] as const;
  const [versions, shown, other] = queries;
  return {
    versions: versions.data?.versions ?? [],
    shown: shown.data,
    before: against ? other.data?.files : undefined,
    error: versions.error ?? shown.error ?? other.error,
    isFetching: queries.some((query) => query.isFetching),
    retry: () => void Promise.all([versions, shown].map(({ refetch }) => refetch())),
  };
}

/** One skill collection: its versions, and the files of the chosen one or what changed in them. */
export default function Skill({ id }: { id: string }) {
  const [state, set] = useUrlState(DEFAULTS);
  const { versions, shown, before, error, isFetching, retry } = useShown(id, state);
  const name = shown?.skill_collection.name ?? 'Skill collection';
  useTitle(name);
  return (
    <>
      <header className="screen-head">
        <Back href="/skills" title="All skill collections" />
        <h1 dir="auto" className="ellipsis" title={name}>
          {name}
        </h1>
      </header>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={retry} />}
        {shown && <Shown shown={shown} versions={versions} before={before} state={state} set={set} />}
      </div>
    </>
  );
}

interface ShownProps {
  shown: SkillFilesResponse;
  versions: SkillVersionBody[];
  /** The files of the version to compare with; undefined for none. */
  before: Record<string, string> | undefined;
  state: State;
  set: SetState;
}

function Shown({ shown, versions, before, state, set }: ShownProps) {
  const [open, setOpen] = useState<SkillAction | null>(null);
  const { skill_collection: collection, version } = shown;
  return (
    <>
      {collection.description && (
        <p dir="auto" className="page-list">
          {collection.description}
        </p>
      )}
      {versions.length > 0 && (
        <div className="page-list">
          <Versions versions={versions} shown={version?.number} onShow={(v) => set({ v: String(v), against: '' })} />
        </div>
      )}
      <OpenChanges kind="skill_collection" id={collection.id} />
      <Version shown={shown} before={before} versions={versions} state={state} set={set} onOpen={setOpen} />
      {open && (
        <SkillDialog
          open={open}
          shown={shown}
          onPublished={() => set({ v: '', against: '' })}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}

interface VersionsProps {
  versions: SkillVersionBody[];
  shown: number | undefined;
  onShow: (version: number) => void;
}

function Versions({ versions, shown, onShow }: VersionsProps) {
  return (
    <VersionTable
      rows={versions}
      numberOf={({ number }) => number}
      labelsOf={({ release_label: label }) => (label === null ? [] : [label])}
      shown={shown}
      onShow={onShow}
      columns={[
        { name: 'Message', className: 'breaks', cell: ({ commit_message: message }) => message ?? '' },
        { name: 'Files', className: 'number', cell: ({ file_paths: paths }) => count(paths.length) },
        { name: 'Saved', cell: ({ created_at }) => <Moment at={created_at} /> },
        { name: 'By', cell: ({ user_email: email }) => email ?? '' },
      ]}
    />
  );
}

interface VersionProps extends ShownProps {
  onOpen: (open: SkillAction) => void;
}

function Version({ shown, before, versions, state, set, onOpen }: VersionProps) {
  const { skill_collection: collection, version, files } = shown;
  return (
    <section className="version">
      <header>
        <h2>{version ? `Version ${version.number}` : 'No version yet'}</h2>
        {version && <VersionLinks id={collection.id} number={version.number} {...{ versions, state, set }} />}
        <Actions isNewest={!version || version.number === versions[0]?.number} onOpen={onOpen} />
      </header>
      {!version && <p>This collection has no files yet.</p>}
      {before && <FileChanges before={before} after={files} />}
      {version && !before && (
        <Files files={files} paths={version.file_paths} open={state.file} onOpen={(file) => set({ file })} />
      )}
    </section>
  );
}

function Actions({ isNewest, onOpen }: { isNewest: boolean; onOpen: (open: SkillAction) => void }) {
  return (
    <>
      {isNewest ? (
        <GuardedButton permission="SKILL_EDIT" onClick={() => onOpen('edit')}>
          Edit as a new version
        </GuardedButton>
      ) : (
        <GuardedButton permission="SKILL_EDIT" onClick={() => onOpen('restore')}>
          Restore as a new version
        </GuardedButton>
      )}
      <GuardedButton permission="SKILL_EDIT" onClick={() => onOpen('describe')}>
        Edit name and description
      </GuardedButton>
      <GuardedButton permission="SKILL_DELETE" onClick={() => onOpen('delete')}>
        Delete
      </GuardedButton>
    </>
  );
}

interface LinksProps {
  id: string;
  number: number;
  versions: SkillVersionBody[];
  state: State;
  set: SetState;
}

function VersionLinks({ id, number, versions, state, set }: LinksProps) {
  const options = compareOptions(
    versions.map((each) => each.number),
    number,
  );
  const archive = `/api/public/v2/skill-collections/${encodeURIComponent(id)}?format=zip&version=${number}`;
  return (
    <>
      <Choice
        label="Compare with"
        options={options}
        value={state.against}
        onChange={(against) => set({ v: String(number), against })}
      />
      <a className="button" href={archive} download="">
        Download as ZIP
      </a>
    </>
  );
}

interface FilesProps {
  files: Record<string, string>;
  /** All files, also those that are no text, without the folder of the provider. */
  paths: string[];
  open: string;
  onOpen: (path: string) => void;
}

function Files({ files, paths, open, onOpen }: FilesProps) {
  const texts = Object.keys(files);
  const binary = paths.filter((path) => !texts.some((text) => text === path || text.endsWith(`/${path}`)));
  const shown = Object.hasOwn(files, open) ? open : texts[0];
  return (
    <div className="skill-files">
      <ul className="lines" aria-label="Files">
        {texts.map((path) => (
          <li key={path}>
            <button className="link" aria-pressed={path === shown} onClick={() => onOpen(path)}>
              <bdi>{path}</bdi>
            </button>
          </li>
        ))}
        {binary.map((path) => (
          <li key={path}>
            <bdi>{path}</bdi> <span className="quiet-text">only in the ZIP archive</span>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <section className="box skill-text" aria-label={shown} tabIndex={0}>
          <LongText text={files[shown] ?? ''} />
        </section>
      )}
    </div>
  );
}
