import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readLanguage } from './messages/language.ts'
import { chooseLanguage, loadTexts } from './messages/messages.ts'
import './styles.css'

const language = readLanguage()
document.documentElement.lang = language
document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr'
chooseLanguage(language)
await loadTexts(['app', 'nav', 'sign-in', 'status'])
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
