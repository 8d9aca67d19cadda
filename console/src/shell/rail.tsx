import { useState } from 'react';
import { Link, useRoute } from 'wouter';
import { useSigning } from '../api/session';
import { Icon, type IconName } from '../ui/icons';
import { useMe } from './session-context';
import { nextTheme, readTheme } from './theme';

interface Props {
  onSearch: () => void;
  onHelp: () => void;
  onNarrow: () => void;
}

/** Where one can go, and who one is. */
export function Rail({ onSearch, onHelp, onNarrow }: Props) {
  const me = useMe();
  return (
    <nav className="rail" aria-label="Screens">
      <div className="rail-head">
        <span className="ellipsis label" title={me.workspace.name}>
          {me.workspace.name}
        </span>
        <button className="button quiet" aria-label="Narrow the rail" title="Narrow the rail  [" onClick={onNarrow}>
          <Icon name="narrow" />
        </button>
      </div>
      <button className="rail-item" onClick={onSearch} title="Go anywhere  Ctrl K">
        <Icon name="search" />
        <span className="label">Go to…</span>
        <kbd className="label">Ctrl K</kbd>
      </button>
      <Place path="/" title="Today" icon="today" keys="g h" />
      <h2 className="rail-group label">See</h2>
      <Place path="/traces" title="Traces" icon="traces" keys="g t" />
      <Place path="/logs" title="Requests" icon="requests" keys="g r" />
      <h2 className="rail-group label">Work</h2>
      <Place path="/tables" title="Tables" icon="tables" keys="g s" />
      <Place path="/prompts" title="Prompts" icon="prompts" keys="g p" />
      <Place path="/evaluations" title="Evaluations" icon="evaluations" keys="g e" />
      <h2 className="rail-group label">Keep</h2>
      <Place path="/activity" title="Jobs and events" icon="activity" keys="g a" />
      <Place path="/settings" title="Settings" icon="settings" keys="g x" />
      <div className="rail-foot">
        <button className="rail-item" onClick={onHelp} title="Keys of this screen  ?">
          <Icon name="help" />
          <span className="label">Keys</span>
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

function Place({ path, title, icon, keys }: { path: string; title: string; icon: IconName; keys: string }) {
  const [isBelow] = useRoute(path === '/' ? '/' : `${path}/*?`);
  return (
    <Link className="rail-item" href={path} aria-current={isBelow ? 'page' : undefined} title={`${title}  ${keys}`}>
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
  const name = me.api_key.name ?? 'Key';
  return (
    <button className="rail-item" onClick={() => void signOut()} title={`Sign out ${name} …${me.api_key.last_4}`}>
      <Icon name="out" />
      <span className="label ellipsis">
        Sign out <span className="quiet-text">{`${name} …${me.api_key.last_4}`}</span>
      </span>
    </button>
  );
}
