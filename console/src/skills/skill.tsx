import './skills.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { SkillFilesResponse, SkillVersionBody } from '../api/schema.gen';
import { LongText } from '../reading/long-text';
import { useHere, WORKSPACE } from '../shell/session-context';
import { count } from '../ui/format';
import { Moment } from '../ui/moment';
import { Back, Failure, Waiting } from '../ui/parts';
import { Choice } from '../ui/search-field';
import { Table } from '../ui/table';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { FileChanges } from './file-changes';

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
  const { skill_collection: collection, version, files } = shown;
  return (
    <>
      {collection.description && (
        <p dir="auto" className="page-list">
          {collection.description}
        </p>
      )}
      {versions.length > 0 && (
        <div className="page-list">
          <VersionTable
            versions={versions}
            shown={version?.number}
            onShow={(v) => set({ v: String(v), against: '' })}
          />
        </div>
      )}
      {version ? (
        <Version
          id={collection.id}
          version={version}
          files={files}
          before={before}
          versions={versions}
          state={state}
          set={set}
        />
      ) : (
        <p className="page-list">This collection has no files yet.</p>
      )}
    </>
  );
}

interface VersionTableProps {
  versions: SkillVersionBody[];
  shown: number | undefined;
  onShow: (version: number) => void;
}

function VersionTable({ versions, shown, onShow }: VersionTableProps) {
  return (
    <Table
      label="Versions"
      rows={versions}
      keyOf={({ number }) => number}
      classOf={({ number }) => (number === shown ? 'chosen' : undefined)}
      columns={[
        {
          name: 'Version',
          cell: ({ number }) => (
            <button className="link" aria-pressed={number === shown} onClick={() => onShow(number)}>
              v{number}
            </button>
          ),
        },
        {
          name: 'Label',
          cell: ({ release_label: label }) => label !== null && <span className="badge">{label}</span>,
        },
        { name: 'Message', className: 'breaks', cell: ({ commit_message: message }) => message ?? '' },
        { name: 'Files', className: 'number', cell: ({ file_paths: paths }) => count(paths.length) },
        { name: 'Saved', cell: ({ created_at }) => <Moment at={created_at} /> },
        { name: 'By', cell: ({ user_email: email }) => email ?? '' },
      ]}
    />
  );
}

interface VersionProps {
  id: string;
  version: SkillVersionBody;
  files: Record<string, string>;
  /** The files of the version to compare with; undefined for none. */
  before: Record<string, string> | undefined;
  versions: SkillVersionBody[];
  state: State;
  set: SetState;
}

function Version({ id, version, files, before, versions, state, set }: VersionProps) {
  const others = versions.filter(({ number }) => number !== version.number);
  const options = {
    '': 'Compare with…',
    ...Object.fromEntries(others.map(({ number }) => [number, `Compared with version ${number}`])),
  };
  const archive = `/api/public/v2/skill-collections/${encodeURIComponent(id)}?format=zip&version=${version.number}`;
  return (
    <section className="version">
      <header>
        <h2>Version {version.number}</h2>
        <Choice
          label="Compare with"
          options={options}
          value={state.against}
          onChange={(against) => set({ v: String(version.number), against })}
        />
        <a className="button" href={archive} download="">
          Download as ZIP
        </a>
      </header>
      {before ? (
        <FileChanges before={before} after={files} />
      ) : (
        <Files files={files} paths={version.file_paths} open={state.file} onOpen={(file) => set({ file })} />
      )}
    </section>
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
