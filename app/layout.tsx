import type { Metadata, Viewport } from 'next';
import localFont from 'next/font/local';
import { SiteFooter } from './components/site/SiteFooter';
import { SiteHeader } from './components/site/SiteHeader';
import { themeScript } from './components/site/theme';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/prose.css';
import './styles/code.css';

const serif = localFont({
  src: [
    {
      path: '../node_modules/@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2',
      style: 'normal',
    },
  ],
  weight: '200 900',
  variable: '--font-serif',
  adjustFontFallback: 'Times New Roman',
});
const mono = localFont({
  src: '../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  weight: '100 800',
  variable: '--font-mono',
  adjustFontFallback: false,
});

const description =
  'An interview course on mixed-precision training that you can run: real Python against torch, with float16 and bfloat16 that are exact to the bit, in your browser.';

export const metadata: Metadata = {
  title: { default: 'Subnormal: mixed precision, to the bit', template: '%s · Subnormal' },
  description,
  applicationName: 'Subnormal',
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fbfaf6' },
    { media: '(prefers-color-scheme: dark)', color: '#131412' },
  ],
};

export default function RootLayout({ children }: { readonly children: React.ReactNode }) {
  return (
    // The script below sets data-theme before the first paint, which the server could not know.
    <html lang="en" className={`${serif.variable} ${mono.variable}`} suppressHydrationWarning>
      <head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours; the CSP admits it by its hash */}
        <script dangerouslySetInnerHTML={{ __html: themeScript }} />
      </head>
      <body>
        <a className="skip-link" href="#main">
          Skip to the content
        </a>
        <SiteHeader />
        <main id="main" tabIndex={-1}>
          <noscript>
            <p className="page no-script">
              Everything here can be read without JavaScript; running code, checks and widgets need it.
            </p>
          </noscript>
          {children}
        </main>
        <SiteFooter />
      </body>
    </html>
  );
}
