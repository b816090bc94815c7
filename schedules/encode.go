package schedules

func (s *search) symbolic() *found { return nil }
