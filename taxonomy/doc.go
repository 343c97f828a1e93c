// Package taxonomy knows the skills that freelancers and clients name: one canonical skill for each thing, its
// synonyms, what it implies, and which skills can stand in for it. It answers four questions:
//
//   - Resolve: which skill does this name mean? "ReactJS", "react.js" and "React 18" are all react.
//   - ResolveAll: which skills does this cell name? "HTML/CSS", "React (Next.js)" and "EN-PT translation" mean several
//     skills, or one by its parts.
//   - Extract: which skills does this text mention, and where? Subjects counts them.
//   - Suggest: which names may a misspelt one have been meant as?
//
// Its data is made from openly licensed sources and a curated part by mappings/build, and embedded in the program. A
// Taxonomy never learns: names it does not know stay unknown.
package taxonomy
