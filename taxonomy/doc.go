// Package taxonomy holds the skills and job titles the service knows. Each skill has one canonical name, synonyms, the
// skills it implies, and the family of skills that can replace it. A Taxonomy answers four questions:
//
//   - Resolve: which skill does this name mean? "ReactJS", "react.js" and "React 18" all mean react.
//   - ResolveAll: which skills does this cell name? "HTML/CSS", "React (Next.js)" and "EN-PT translation" name several
//     skills, or one skill that only their parts reveal.
//   - Extract: which skills does this text mention, and where? Subjects counts the mentions of each skill.
//   - Suggest: which names could a misspelled name stand for?
//
// Package mappings/build generates the data from openly licensed sources and a curated part. The data is embedded in
// the program. A Taxonomy never learns: a name it doesn't know stays unknown.
package taxonomy
