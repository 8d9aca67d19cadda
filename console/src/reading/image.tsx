/** Images that a browser shows without a request. */
const OWN = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp)[;,]/i;

/** An image of a message. A remote one opens apart, after a click: its host would learn who reads. */
export function Image({ url }: { url: string }) {
  if (OWN.test(url)) return <img className="picture" src={url} alt="Attachment of the message" />;
  const host = hostOf(url);
  if (host === null) return <span className="quiet-text">Image that cannot be shown</span>;
  return (
    <a className="link breaks" href={url} title={url} target="_blank" rel="noopener noreferrer nofollow">
      Open the image at {host}
    </a>
  );
}

function hostOf(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).host;
}
