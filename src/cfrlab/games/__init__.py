"""Games: public trees, hands, payoff operators, cards, betting, and the zoo of named games."""
