import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readLanguage } from './messages/language.ts'
import { chooseLanguage, loadTexts } from './messages/messages.ts'
import { readSession } from './session/read-session.ts'
import './styles.css'

const language = readLanguage()
document.documentElement.lang = language
document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr'
chooseLanguage(language)
// Starts before the texts load, so that both requests run in parallel.
const session = readSession()
await loadTexts(['app', 'nav', 'sign-in', 'status'])
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App session={session} />
    </StrictMode>,
  )
