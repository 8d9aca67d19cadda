import { useMutation } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { Link, useRoute } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { nameOf, useSigning } from '../api/session';
import { Icon } from '../ui/icons';
import { Refused } from '../ui/parts';
import { mayLeave } from '../ui/unsaved';
import { RAIL, type Screen } from './places';
import { useInScope } from './scope';
import { useMe } from './session-context';
import { nextTheme, readTheme } from './theme';

interface Props {
  onSearch: () => void;
  onHelp: () => void;
  onNarrow: () => void;
}

/** Links to the screens, and the signed-in user. */
export function Rail({ onSearch, onHelp, onNarrow }: Props) {
  return (
    <nav className="rail" aria-label="Screens">
      <div className="rail-head">
        <Workspace />
        <button
          className="button quiet"
          aria-label="Collapse or expand the sidebar"
          title="Collapse or expand the sidebar  ["
          onClick={onNarrow}
        >
          <Icon name="narrow" />
        </button>
      </div>
      <button className="rail-item" onClick={onSearch} title="Search  Ctrl K">
        <Icon name="search" />
        <span className="label">Go to…</span>
        <kbd className="label">Ctrl K</kbd>
      </button>
      {Object.entries(RAIL).map(([purpose, screens]) => (
        <Fragment key={purpose}>
          {purpose !== '' && <h2 className="rail-group label">{purpose}</h2>}
          {screens.map((screen) => (
            <Place key={screen.path} {...screen} />
          ))}
        </Fragment>
      ))}
      <div className="rail-foot">
        <button className="rail-item" onClick={onHelp} title="Shortcuts of this screen  ?">
          <Icon name="help" />
          <span className="label">Shortcuts</span>
        </button>
        <a className="rail-item" href="/docs" target="_blank" rel="noreferrer" title="The API">
          <Icon name="docs" />
          <span className="label">API</span>
        </a>
        <ThemeButton />
        <SignOut />
        <p className="rail-version label quiet-text">Tracesheet {String(import.meta.env.VERSION)}</p>
      </div>
    </nav>
  );
}

/** The name of the workspace; a choice for users with several. */
function Workspace() {
  const { workspace, workspaces } = useMe();
  const { changeWorkspace } = useSigning();
  const change = useMutation({
    mutationFn: async (id: number) => {
      if (!(await mayLeave())) return;
      await changeWorkspace(id);
      // Open screens belong to the previous workspace. The router would ask a second time.
      navigate('/console/');
    },
  });
  if (workspaces.length < 2) {
    return (
      <span dir="auto" className="ellipsis label" title={workspace.name}>
        {workspace.name}
      </span>
    );
  }
  return (
    <>
      <select
        className="field label"
        aria-label="Workspace"
        value={workspace.id}
        onChange={(event) => change.mutate(Number(event.target.value))}
      >
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <Refused error={change.error} />
    </>
  );
}

function Place(screen: Screen) {
  const { path, title, icon, keys } = screen;
  const inScope = useInScope();
  const [isBelow] = useRoute(path === '/' ? '/' : `${path}/*?`);
  return (
    <Link
      className="rail-item"
      href={inScope(screen)}
      aria-current={isBelow ? 'page' : undefined}
      title={`${title}  ${keys}`}
    >
      <Icon name={icon} />
      <span className="label">{title}</span>
    </Link>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  return (
    <button className="rail-item" onClick={() => setTheme(nextTheme())} title={`Colours: ${theme}`}>
      <Icon name="theme" />
      <span className="label">Colours: {theme}</span>
    </button>
  );
}

function SignOut() {
  const me = useMe();
  const { signOut } = useSigning();
  const leave = useMutation({
    mutationFn: async () => {
      if (await mayLeave()) await signOut();
    },
  });
  const name = nameOf(me);
  return (
    <>
      <button className="rail-item" onClick={() => leave.mutate()} title={`Sign out ${name}`}>
        <Icon name="out" />
        <span className="label">Sign out</span>
        <span dir="auto" className="label quiet-text ellipsis">
          {me.user ? name : `…${me.api_key?.last_4}`}
        </span>
      </button>
      <Refused error={leave.error} />
    </>
  );
}
