import { type KeyboardEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { useSavedViews } from '../saved-views/use-saved-views';
import { placeOf } from '../saved-views/view-state';
import { Dialog } from '../ui/dialog';
import { useNamedPlaces } from '../folders/named-places';
import { placesFor } from './places';
import { useInScope } from './scope';
import { useThings } from './use-things';

function usePlaces(text: string) {
  const views = useSavedViews(true);
  const named = useNamedPlaces(text);
  const things = useThings(text);
  return placesFor(text, [...(views.data ?? []).map(placeOf), ...named, ...things]);
}

/** Goes anywhere: a list under a field, the first of which Enter takes. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const inScope = useInScope();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const places = usePlaces(text);
  const go = (at: number) => {
    const place = places[at];
    if (!place) return;
    onClose();
    navigate(inScope(place));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter ends the composition of an input method.
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setActive((active + step + places.length) % places.length);
    else if (event.key === 'Enter') go(active);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Go anywhere" className="palette" onClose={onClose}>
      <input
        dir="auto"
        className="field"
        data-first=""
        role="combobox"
        aria-label="Where to"
        aria-expanded="true"
        aria-controls="places"
        aria-activedescendant={`place-${active}`}
        placeholder="Search for a page, a name, a trace or request id, or text"
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
      />
      <ul id="places" role="listbox" aria-label="Places">
        {places.map(({ title, hint, path }, index) => (
          // Keys are handled by the field, which keeps the focus.
          <li
            key={path}
            id={`place-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseMove={() => setActive(index)}
            onClick={() => go(index)}
          >
            <span dir="auto" className="ellipsis">
              {title}
            </span>
            <span className="quiet-text">{hint}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
