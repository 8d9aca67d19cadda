import Renderer, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Image } from './image';

/** Addresses that a link may have; others stay text. */
const SAFE = /^(?:https?:|mailto:)/i;

const COMPONENTS: Components = {
  a: ({ href, children }) =>
    href !== undefined && SAFE.test(href) ? (
      <a className="link" href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  img: ({ src }) => <Image url={typeof src === 'string' ? src : ''} />,
};

/** Addresses are checked above; the default would drop images of the message. */
const asItIs = (url: string): string => url;

/** Markdown of a model. HTML in it stays text, pictures load only after a click. */
export default function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown" dir="auto">
      <Renderer components={COMPONENTS} remarkPlugins={[remarkGfm]} urlTransform={asItIs}>
        {text}
      </Renderer>
    </div>
  );
}
