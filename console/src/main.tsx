import '@fontsource-variable/inter/wght.css';
import './ui/tokens.css';
import './ui/parts.css';
import './ui/list.css';
import './ui/panel.css';
import './shell/shell.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { createQueries } from './api/session';
import { App } from './shell/app';
import { applyTheme } from './shell/theme';
import { guardPage, leaveFor } from './ui/unsaved';
import { WhenLoaded } from './ui/when-loaded';

applyTheme();
guardPage();
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={createQueries()}>
      <Router base="/console" aroundNav={leaveFor}>
        <WhenLoaded isScreen>
          <App />
        </WhenLoaded>
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
